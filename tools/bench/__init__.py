"""Benchmarks, and the pages that their numbers make."""
