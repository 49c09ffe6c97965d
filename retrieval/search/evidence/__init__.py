"""What speaks for a chunk: where the words of a question are in it, weighted."""
