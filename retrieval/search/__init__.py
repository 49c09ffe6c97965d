"""Searches an index: a question goes in, hits and a receipt come out. Begin with retriever.py."""
