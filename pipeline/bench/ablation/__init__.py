"""What each part of the search adds."""
