"""Prose cut where its author cut it, and what each passage is about."""
