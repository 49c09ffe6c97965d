"""The artifact tables: what an ingestion made, in a form that other programs read, embedded or on a MongoDB server."""
