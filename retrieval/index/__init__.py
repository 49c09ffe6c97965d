"""What is on disk: embedders, vectors, the lexical index, Chroma, and the snapshot that ties them together."""
