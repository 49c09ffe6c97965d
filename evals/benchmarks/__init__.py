"""Published question sets in their own formats: what they search, and their questions with gold."""

from evals.benchmarks.books import shelf

__all__ = ["shelf"]
