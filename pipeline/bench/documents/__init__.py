"""Random documents through the ingest: does it fall, is a word lost, how does its time grow."""
