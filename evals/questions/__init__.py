"""Questions with gold, and where that gold is in the index at hand."""
