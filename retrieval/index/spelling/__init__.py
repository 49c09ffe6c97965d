"""Words of a question that nobody writes so, as a library writes them: `clerc`, `mercs`, `dmg`."""
