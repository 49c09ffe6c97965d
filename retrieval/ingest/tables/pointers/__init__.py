"""Cells that send their reader to another table."""
