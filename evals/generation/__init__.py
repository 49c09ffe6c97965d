"""Questions that a program writes over a library."""
