"""What is handed to other programs as artifact tables or files."""
