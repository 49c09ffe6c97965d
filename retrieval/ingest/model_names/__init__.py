"""What people call the rows of tables, said by a model; all else of a row is the rules'."""
