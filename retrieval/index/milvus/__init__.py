"""A snapshot's chunks as one collection of a Milvus server; `store.py` alone imports its client."""
