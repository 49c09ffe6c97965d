"""Quantities in text: one reader for the cells of a table and for questions."""

from retrieval.quantities.quantity import AS_TEXT, Kind, Quantity, holds
from retrieval.quantities.reading import quantities
from retrieval.quantities.whole import whole_quantity

__all__ = ["AS_TEXT", "Kind", "Quantity", "holds", "quantities", "whole_quantity"]
