"""A snapshot as artifact tables and files for other programs."""
