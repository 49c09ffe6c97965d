"""What is wrong with rows and predicates."""
