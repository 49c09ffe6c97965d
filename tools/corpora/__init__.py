"""Published question sets in their own formats: what they search, and their questions with gold."""

from tools.corpora.books import shelf

__all__ = ["shelf"]
