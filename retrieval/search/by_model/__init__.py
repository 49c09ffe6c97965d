"""Lets a model order the first hits of a search."""
