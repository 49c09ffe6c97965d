"""Hosted models: one client for all of them, what they may cost, and how fast they are asked."""
