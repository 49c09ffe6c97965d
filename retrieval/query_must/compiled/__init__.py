"""Every predicate of an index as arrays that one walk over a question decides."""
