"""Questions that ask several things, as the questions that they are made of."""
