"""Everything a search needs under one id: built in a folder of its own, verified, made live by one pointer."""
