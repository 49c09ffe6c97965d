"""Where the words of a question are: tokens, BM25, and the evidence of headings, cells and names."""
