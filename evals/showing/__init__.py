"""Scores as a page of Dagster's UI shows them: short tables and small pictures, as plain strings and records."""
