"""Serves the index over HTTP: questions, streamed answers, ingestion, and monitoring."""
