"""All predicates of an index as arrays, evaluated in one pass over a question."""
