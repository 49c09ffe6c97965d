"""What questions and feedback teach: words for the vocabulary, questions with gold, predicates. Nothing is applied."""
