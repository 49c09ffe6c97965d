"""Answers: what a question's chunks say, read from their cells or told by a model, and what each part is taken from."""
