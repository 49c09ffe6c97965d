"""`default` fitted on question sets: weights, trees, relevance, and the cells that an answer reads."""
