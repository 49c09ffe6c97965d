"""Where the words of a question stand: tokens, BM25, and the evidence of headings, cells and names."""
