"""What speaks for a chunk: where the words of a question stand in it, weighted."""
