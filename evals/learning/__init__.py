"""Trees for the second look, learned on judged questions and tested on books that had no say."""
