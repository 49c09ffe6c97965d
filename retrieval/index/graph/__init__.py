"""What leads from one chunk to another."""
