"""Books of several sets in one index, each a category: what hints at categories are tried on."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from hashlib import sha256
from pathlib import Path

from evals.benchmarks.books import BookCorpus, is_set_of_books, read_books
from evals.benchmarks.corpus import chunks_of_book
from evals.benchmarks.data_files import BenchmarkDataError, benchmark_folder
from evals.questions.question_sets import QuestionSet
from evals.questions.questions import load_questions
from retrieval.ingest.library.book import read_book
from retrieval.query_must.vocabulary.vocabulary import Vocabulary
from retrieval.search.retriever import Retriever
from retrieval.types import Book, Chunk

KEY = "category"
"""The metadata key under which each document has the name of its book."""


@dataclass(frozen=True, slots=True)
class Shelf:
    """Books that are searched together. A question is asked of all; its answer is in one."""

    books: tuple[BookCorpus, ...]

    @property
    def name(self) -> str:
        """There is one."""
        return "shelf"

    @property
    def digest(self) -> str:
        """Hash of all files of all books."""
        return sha256("\0".join(f"{book.name} {book.digest}" for book in self.books).encode()).hexdigest()

    @property
    def categories(self) -> tuple[str, ...]:
        """Names of the books, sorted."""
        return tuple(sorted(book.name for book in self.books))

    def chunks(self, vocabulary: Vocabulary) -> tuple[Chunk, ...]:
        """All books through the usual ingest, each document with its category."""
        return tuple(
            chunk
            for book in self.books
            for chunk in chunks_of_book(_with_category(read_book(book.folder), book.name), vocabulary)
        )

    def question_sets(self, retriever: Retriever, chunks: Sequence[Chunk]) -> tuple[QuestionSet, ...]:  # noqa: ARG002
        """A set for each book, its gold looked for in this book alone."""
        of_book: Mapping[str, list[Chunk]] = {book.name: [] for book in self.books}
        for chunk in chunks:
            of_book[chunk.book].append(chunk)
        return tuple(
            QuestionSet.of(book.name, book.split, load_questions(book.questions), of_book[book.name])
            for book in self.books
        )


def read_shelf(folder: Path, split: str) -> Shelf:
    """Every book with questions of the split in every set of books under a folder.

    Raises:
        BenchmarkDataError: no such folder, fewer than two such books, or two of one name.
    """
    root = benchmark_folder(folder)
    sets = [path for path in sorted(root.iterdir()) if path.is_dir() and is_set_of_books(path)]
    books = [book for path in sets for book in read_books(path, split)]
    if len(books) < 2:
        raise BenchmarkDataError(
            f"{root} has {len(books)} books with questions of the split {split!r} in the folders in it; "
            "a hint needs two to choose from"
        )
    twice = [name for name, count in Counter(book.name for book in books).items() if count > 1]
    if twice:
        raise BenchmarkDataError(f"two folders in {root} have a book {twice[0]!r}; rename one")
    return Shelf(tuple(books))


def _with_category(book: Book, category: str) -> Book:
    documents = tuple(replace(each, metadata={**each.metadata, KEY: category}) for each in book.documents)
    return replace(book, documents=documents)
