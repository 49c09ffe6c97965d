"""The output of the command: results, progress and errors, and the display of a retrieval."""
