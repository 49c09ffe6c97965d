"""Reads a question as conditions on metadata and a topic, by the values of a catalogue and without a model."""
