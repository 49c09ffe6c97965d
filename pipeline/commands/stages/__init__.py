"""One stage at a time: tables as rows, rows and prose as chunks, chunks into a collection of Chroma."""
