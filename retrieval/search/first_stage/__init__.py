"""The first of two stages: candidates for the careful ranking, from our own files or from an engine elsewhere."""
