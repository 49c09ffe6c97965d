"""Book text in, chunks out."""
