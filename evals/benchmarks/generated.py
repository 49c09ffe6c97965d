"""Questions written by templates over a folder of books: a set of their own, never mixed with what people asked."""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from evals.benchmarks.books import LibraryBook
from evals.benchmarks.data_files import BenchmarkDataError, benchmark_folder
from evals.generation.generation import GenerationSettings, generate_questions
from evals.questions.question_sets import QuestionSet
from evals.questions.questions import Question
from retrieval.ingest.library.library import list_books
from retrieval.query_must.vocabulary.vocabulary import Vocabulary
from retrieval.search.retriever import Retriever
from retrieval.types import Chunk

GENERATED_SET = "generated"

_SPLIT = re.compile(r"seed(\d+)")


@dataclass(frozen=True, slots=True)
class GeneratedCorpus(LibraryBook):
    """A book with questions about every table and section of it."""

    seed: int

    def question_sets(self, retriever: Retriever, chunks: Sequence[Chunk]) -> tuple[QuestionSet, ...]:
        """The generated questions, gold by anchor."""
        questions = generated_questions(chunks, retriever.snapshot.vocabulary, self.seed)
        return (QuestionSet.of(self.set, self.split, questions, chunks),)


def generated_questions(chunks: Sequence[Chunk], vocabulary: Vocabulary, seed: int) -> list[Question]:
    """Every question that the templates write about a book, in the order of its documents."""
    documents = generate_questions(chunks, vocabulary, GenerationSettings(seed=seed))
    return [question for document in documents for question in document.questions]


def read_generated(folders: Sequence[Path], split: str) -> tuple[GeneratedCorpus, ...]:
    """Every book of some folders, one set together; the split says the seed: `seed0`.

    Raises:
        BenchmarkDataError: no such folder, a split of another form, or two books of one name.
        LibraryError: a folder holds no book.
    """
    match = _SPLIT.fullmatch(split)
    if match is None:
        raise BenchmarkDataError(f"the split of generated questions is their seed, such as seed0; not {split!r}")
    books = [book for folder in folders for book in list_books(benchmark_folder(folder))]
    twice = [name for name, count in Counter(book.slug for book in books).items() if count > 1]
    if twice:
        raise BenchmarkDataError(f"two folders have a book {twice[0]!r}; ask about them one after the other")
    return tuple(GeneratedCorpus(GENERATED_SET, split, book, int(match[1])) for book in books)
