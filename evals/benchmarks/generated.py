"""Questions written by templates over a folder of books: a set of their own, never mixed with what people asked."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from evals.benchmarks.books import LibraryBook
from evals.benchmarks.data_files import BenchmarkDataError, benchmark_folder
from evals.generation.generation import GenerationSettings, generate_questions
from evals.questions.question_sets import QuestionSet
from retrieval.ingest.library.library import list_books
from retrieval.search.retriever import Retriever
from retrieval.types import Chunk

_SPLIT = re.compile(r"seed(\d+)")


@dataclass(frozen=True, slots=True)
class GeneratedCorpus(LibraryBook):
    """A book with questions about every table and section of it."""

    seed: int

    def question_sets(self, retriever: Retriever, chunks: Sequence[Chunk]) -> tuple[QuestionSet, ...]:
        """The generated questions, gold by anchor."""
        documents = generate_questions(chunks, retriever.snapshot.vocabulary, GenerationSettings(seed=self.seed))
        questions = [question for document in documents for question in document.questions]
        return (QuestionSet.of(self.set, self.split, questions, chunks),)


def read_generated(name: str, folder: Path, split: str) -> tuple[GeneratedCorpus, ...]:
    """Every book of a folder; the split says the seed: `seed0`.

    Raises:
        BenchmarkDataError: no such folder, or a split of another form.
        LibraryError: the folder holds no book.
    """
    match = _SPLIT.fullmatch(split)
    if match is None:
        raise BenchmarkDataError(f"the split of generated questions is their seed, such as seed0; not {split!r}")
    books = list_books(benchmark_folder(folder))
    return tuple(GeneratedCorpus(name, split, book, int(match[1])) for book in books)
