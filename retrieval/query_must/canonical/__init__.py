"""The one form in which a question and a term can be compared."""
