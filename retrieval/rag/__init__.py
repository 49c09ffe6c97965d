"""The contract of whoever asks on behalf of people: a question in, chunks that answer it out, or none."""
