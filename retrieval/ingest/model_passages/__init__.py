"""What passages are about, said by a model; their ids, words and conditions are what they were."""
