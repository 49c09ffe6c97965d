"""A question as conditions on metadata and a topic, read by the values of a catalogue and without a model."""
