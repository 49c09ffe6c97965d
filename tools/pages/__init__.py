"""Pages about the sample book, made from its numbers."""
