"""A real server under load: many clients at once while indexes go live."""
