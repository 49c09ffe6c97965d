"""Books of markdown with questions beside them: `<folder>/<book>/*.md` and `<folder>/<book>.<split>.jsonl`."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from evals.benchmarks.corpus import chunks_of_book
from evals.benchmarks.data_files import BenchmarkDataError, benchmark_folder, data_file, stems
from evals.questions.question_sets import QuestionSet
from evals.questions.questions import load_questions
from retrieval.ingest.library.library import BookFolder, list_books, read_book
from retrieval.query_must.vocabulary.vocabulary import Vocabulary
from retrieval.search.retriever import Retriever
from retrieval.types import Chunk


@dataclass(frozen=True, slots=True)
class LibraryBook:
    """One book of a folder, an index of its own."""

    set: str
    split: str
    folder: BookFolder

    @property
    def name(self) -> str:
        """Slug of the book."""
        return self.folder.slug

    @property
    def digest(self) -> str:
        """Hash of the book's files."""
        return self.folder.digest

    def chunks(self, vocabulary: Vocabulary) -> tuple[Chunk, ...]:
        """Read and chunk the book."""
        return chunks_of_book(read_book(self.folder), vocabulary)


@dataclass(frozen=True, slots=True)
class BookCorpus(LibraryBook):
    """A book with a file of questions."""

    questions: Path

    def question_sets(self, retriever: Retriever, chunks: Sequence[Chunk]) -> tuple[QuestionSet, ...]:  # noqa: ARG002
        """The book's questions, gold by anchor."""
        return (QuestionSet.of(self.set, self.split, load_questions(self.questions), chunks),)


def read_books(name: str, folder: Path, split: str) -> tuple[BookCorpus, ...]:
    """Every book of a folder that has questions of this split.

    Raises:
        BenchmarkDataError: no such folder, or no book in it has such questions.
        LibraryError: the folder holds no book.
    """
    root = benchmark_folder(folder)
    asked = set(stems(root, f".{split}"))
    books = [book for book in list_books(root) if book.path.name in asked]
    if not books:
        there = ", ".join(sorted(path.name for path in root.glob("*.jsonl*"))) or "none"
        raise BenchmarkDataError(f"{root} has no <book>.{split}.jsonl beside a book's folder; question files: {there}")
    return tuple(BookCorpus(name, split, book, data_file(root, f"{book.path.name}.{split}")) for book in books)
