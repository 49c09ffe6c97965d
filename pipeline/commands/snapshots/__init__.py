"""Commands on the snapshots of a home: whether they are sound, which one is live, which ones stay."""
