"""What relevance means: fitted on questions with and without an answer, and judged on books that had no say in it."""
