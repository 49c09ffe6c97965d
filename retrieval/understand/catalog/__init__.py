"""What the documents of an index are called, and the fields and values that they have."""
