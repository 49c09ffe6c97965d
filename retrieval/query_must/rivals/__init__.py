"""Which rows of a table a question leaves out, because it names another row of it."""
