"""What could break an index: kills, damaged files, promotions under readers. `querymust bench faults` counts."""
