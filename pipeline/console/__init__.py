"""What the command prints: results, progress and errors, and how a retrieval is shown."""
