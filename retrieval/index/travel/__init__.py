"""Snapshots that travel: pushed to a place by the one who builds, pulled from it by any number of readers."""
