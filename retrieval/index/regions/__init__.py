"""The vectors of a snapshot, divided: what of a large library is near a question."""
