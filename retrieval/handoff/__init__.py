"""What other programs get of a snapshot: its projection into artifact tables or files, and a loader that reads them."""
