"""Searching in rounds: hints at categories, facts that are gathered, and what is asked next."""
