"""Collections that somebody else filled, asked in rounds."""
