"""What a question is about: the things it names, and what it wants to know of them."""
