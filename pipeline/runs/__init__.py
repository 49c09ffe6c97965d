"""Runs of the code location in this process, as the command starts them."""
