"""Quantities in text, read in the same way in cells and in questions."""

from retrieval.language.numbers.quantity import AS_TEXT, Kind, Quantity, holds
from retrieval.language.numbers.reading import quantities, whole_quantity

__all__ = ["AS_TEXT", "Kind", "Quantity", "holds", "quantities", "whole_quantity"]
