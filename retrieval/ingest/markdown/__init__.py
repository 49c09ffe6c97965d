"""Markdown as blocks, and as the words that a reader sees."""
