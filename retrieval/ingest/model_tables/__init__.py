"""Tables read by a hosted model: what it is asked, what of its answer is believed, and what is done where it fails."""
