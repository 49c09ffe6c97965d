"""How long the contract takes to answer, beside a plain query of the same vectors."""
