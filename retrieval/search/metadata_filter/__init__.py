"""A caller's filter on metadata: as records, and as a person types it."""
