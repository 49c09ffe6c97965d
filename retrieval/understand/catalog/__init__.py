"""Names of the documents of an index, and their fields and values."""
