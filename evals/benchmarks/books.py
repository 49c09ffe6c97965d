"""Books of markdown with questions beside them: `<folder>/<book>/*.md` and `<folder>/<book>.<split>.jsonl`.

Any folder that looks so is a set, named as the folder is.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from evals.benchmarks.data_files import BenchmarkDataError, benchmark_folder, data_file, splits_of
from evals.questions.question_sets import FILE_NAME, QuestionSet
from evals.questions.questions import load_questions
from retrieval.ingest.chunking import chunks_of_book
from retrieval.ingest.library.book import read_book
from retrieval.ingest.library.library import BookFolder, list_books
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


def read_books(folder: Path, split: str) -> tuple[BookCorpus, ...]:
    """Every book of a folder that has questions of this split; the set is called as the folder is.

    Raises:
        BenchmarkDataError: no such folder, its name cannot be a file name, or no book in it has such questions.
        LibraryError: the folder holds no book.
    """
    root = benchmark_folder(folder)
    if not FILE_NAME.fullmatch(root.name):
        raise BenchmarkDataError(f"the folder name {root.name!r} cannot name a set; use letters, digits and -_.+@")
    books = list_books(root)
    splits = {book.path.name: splits_of(root, book.path.name) for book in books}
    asked = [book for book in books if split in splits[book.path.name]]
    if not asked:
        there = "; ".join(f"{name}: {', '.join(found)}" for name, found in splits.items() if found)
        raise BenchmarkDataError(
            f"{root} has no <book>.{split}.jsonl beside a book's folder; its splits: {there or 'none'}"
        )
    return tuple(BookCorpus(root.name, split, book, data_file(root, f"{book.path.name}.{split}")) for book in asked)


def is_set_of_books(folder: Path) -> bool:
    """Whether a folder has a sub-folder with questions of any split beside it."""
    return any(path.is_dir() and splits_of(folder, path.name) for path in folder.iterdir())
