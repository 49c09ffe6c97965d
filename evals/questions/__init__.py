"""Questions with gold, and where that gold stands in the index at hand."""
