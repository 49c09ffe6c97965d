"""The values that a question names, as they are written or otherwise."""
