"""Faults of rows and predicates."""
