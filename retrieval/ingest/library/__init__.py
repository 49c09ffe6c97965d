"""Folders and files in, books and documents out."""
