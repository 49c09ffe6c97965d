"""Splits questions that ask several things into single questions."""
