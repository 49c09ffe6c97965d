"""How the ways of searching compare as a library grows."""
