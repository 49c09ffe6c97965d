"""The words a library speaks, and their look-up."""
