"""The first hits of a search in the order in which a model puts them."""
