"""Indexing books in several processes: where they run, and what each of them does."""
