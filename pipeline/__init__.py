"""Runs the library: Dagster assets over `retrieval` and `evals`, and the `querymust` command."""
