"""From numbers of single questions to numbers of sets: means, intervals, tests."""
