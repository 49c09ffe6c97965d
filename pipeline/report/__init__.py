"""What a home holds, as one page that a person reads without reading code."""
