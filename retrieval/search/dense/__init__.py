"""Nearest vectors under the predicates: before the search, or in rounds after it."""
