"""Quantities in text: one reader for the cells of a table and for questions."""

from retrieval.language.numbers.quantity import AS_TEXT, Kind, Quantity, holds
from retrieval.language.numbers.reading import quantities, whole_quantity

__all__ = ["AS_TEXT", "Kind", "Quantity", "holds", "quantities", "whole_quantity"]
