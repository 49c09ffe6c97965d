"""What reading a question and hinting at categories are worth."""
