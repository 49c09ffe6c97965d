"""The first of two stages: candidates for re-ranking, from our own files or from another engine."""
