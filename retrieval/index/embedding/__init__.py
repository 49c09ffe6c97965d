"""Text in, vectors out: models by name, and the store that keeps what was embedded once."""
