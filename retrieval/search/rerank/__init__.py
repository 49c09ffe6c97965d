"""Re-ranking: how the words and numbers of candidates fit the question together, scored by trees."""
