"""What the assets do: vectors kept in step, what a run reports, and what readers get."""
