"""The compiled predicates against the plain meaning: their time, and whether they agree."""
