"""Question in, hits and receipt out. Begin with retriever.py."""
