"""From a question to conditions on metadata, and from these to documents."""
