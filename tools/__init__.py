"""Programs for those who work on querymust: benchmarks and checks that no installed package carries."""
