"""Understands questions: the things that a question names, and what it asks about them."""
