"""The sample library with its questions, and the documents of a skirmish game."""

from pathlib import Path

SAMPLE_LIBRARY = Path(__file__).resolve().with_name("library")
SAMPLE_QUESTIONS = SAMPLE_LIBRARY.with_name("sample_questions.jsonl")
SKIRMISH = SAMPLE_LIBRARY.with_name("skirmish")
