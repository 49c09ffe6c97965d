"""Tables in the source, what they mean, and their rows as objects with names and predicates."""
