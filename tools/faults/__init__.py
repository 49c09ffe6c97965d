"""What could break an index: kills, damaged files, promotions under readers. `python -m tools bench faults` counts."""
