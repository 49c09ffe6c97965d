"""The two collections of a snapshot; `store.py` alone imports Chroma."""
