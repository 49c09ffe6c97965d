"""How much of a build is saved where little changed."""
