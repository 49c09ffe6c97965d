"""Why a chunk was kept or excluded: as records, and as lines."""
