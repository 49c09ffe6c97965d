"""The sample library and its questions."""

from pathlib import Path

SAMPLE_LIBRARY = Path(__file__).resolve().with_name("library")
SAMPLE_QUESTIONS = SAMPLE_LIBRARY.with_name("sample_questions.jsonl")
