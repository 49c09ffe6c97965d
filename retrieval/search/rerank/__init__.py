"""Re-ranking: how well the words and numbers of candidates fit the question, scored by trees."""
