"""What a candidate is compared with, and what the gate said of it."""
