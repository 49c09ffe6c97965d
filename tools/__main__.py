"""`python -m tools`: benchmarks and checks for those who work on querymust."""

from tools.cli import main

main()
