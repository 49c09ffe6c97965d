"""One parameter of a strategy tried at several values: a curve, and a proposal that the gate judges."""
