"""The second look at the best candidates: how their words and numbers fit the question together."""
