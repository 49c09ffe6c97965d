"""Adapters for other libraries: each library is used in one file only, and needs its extra."""
