"""Questions that a chat model writes about the places of an index: in other words than the book's, and labelled."""
