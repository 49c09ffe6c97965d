"""The times of a question: which days they are, and which date of a document each is about."""
