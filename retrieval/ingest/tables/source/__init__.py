"""Tables as they are in the source: pipes, drawn lines and lists, their captions and their notes."""
