"""Is an index good enough, and no worse than the last one? What somebody's own CI asks of `querymust eval`."""
