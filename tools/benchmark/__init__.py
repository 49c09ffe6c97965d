"""querymust beside other systems: the same books, the same questions, the same measures for every one of them."""
