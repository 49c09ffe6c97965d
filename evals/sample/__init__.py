"""The sample library with its questions, the documents of a skirmish game, and a shelf of books to learn from."""

from pathlib import Path

SAMPLE_LIBRARY = Path(__file__).resolve().with_name("library")
SAMPLE_QUESTIONS = SAMPLE_LIBRARY.with_name("sample_questions.jsonl")
SKIRMISH = SAMPLE_LIBRARY.with_name("skirmish")
SHELF = SAMPLE_LIBRARY.with_name("shelf")
"""A set of books of other kinds with their questions. A clone has it, an installed package has not."""
