"""The shelf and any other folder of books with questions, as plain records: for programs that are not querymust.

::

    from evals.benchmarks import shelf

    books = shelf()
    print(books.name, books.version)
    for book in books.books:
        print(book.name, len(book.documents), len(book.questions))
"""

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from evals.benchmarks.books import BenchmarkDataError, benchmark_folder, data_file, digest_of, splits_of
from evals.questions.questions import Question, load_questions
from evals.sample import SHELF
from retrieval.ingest.library.library import list_books

SHELF_VERSION = "1.0"
"""Of books and questions of the shelf. A changed byte needs a new version: a test holds it to `SHELF_DIGEST`."""
SHELF_DIGEST = "bcd26dca2e2944adbe93117c70ca4fa3ce58a3a78bd9e25bf13614e7edcce13d"


@dataclass(frozen=True, slots=True)
class SourceDocument:
    """One markdown file. Key: path."""

    path: str
    """In the folder of the book."""
    text: str


@dataclass(frozen=True)
class QuestionedBook:
    """A folder of markdown files, and questions about it. Key: name."""

    name: str
    folder: Path
    split: str
    questions: tuple[Question, ...]

    @cached_property
    def documents(self) -> tuple[SourceDocument, ...]:
        """The files, in the order of their paths."""
        return tuple(
            SourceDocument(path.relative_to(self.folder).as_posix(), path.read_text("utf-8"))
            for path in sorted(self.folder.rglob("*.md"))
        )


@dataclass(frozen=True, slots=True)
class BookSet:
    """Books with questions. Key: (name, version)."""

    name: str
    """Of the folder."""
    version: str
    """Of the shelf its number; of other books the beginning of a hash of all files."""
    books: tuple[QuestionedBook, ...]

    @property
    def questions(self) -> tuple[Question, ...]:
        """Those of all books."""
        return tuple(question for book in self.books for question in book.questions)


def shelf() -> BookSet:
    """The seven invented books of `evals/sample/shelf` with their 420 questions.

    Raises:
        BenchmarkDataError: this is an installed package, which does not contain them.
    """
    if not SHELF.is_dir():
        raise BenchmarkDataError(f"{SHELF} is not there; an installed package does not contain it, a clone does")
    return book_set(SHELF)


def book_set(folder: Path, split: str | None = None) -> BookSet:
    """The books of a folder that have questions: `<book>/*.md` and, beside it, `<book>.<split>.jsonl`.

    Args:
        folder: of the books.
        split: which questions; None: the only ones that a book has.

    Raises:
        BenchmarkDataError: no such folder, no book has such questions, or it is not clear which are meant.
        LibraryError: the folder holds no book.
        QuestionsError: a file of questions is not usable.
    """
    root = benchmark_folder(folder)
    books = tuple(
        QuestionedBook(path.name, path, name, load_questions(data_file(root, f"{path.name}.{name}")))
        for path in (book.path for book in list_books(root))
        if (name := _split(root, path.name, split)) is not None
    )
    if not books:
        raise BenchmarkDataError(f"{root} has no <book>.{split or '<split>'}.jsonl beside the folder of a book")
    version = SHELF_VERSION if root == SHELF else set_digest(root)[:12]
    return BookSet(root.name, version, books)


def _split(root: Path, book: str, split: str | None) -> str | None:
    splits = splits_of(root, book)
    if split is not None:
        return split if split in splits else None
    if len(splits) > 1:
        raise BenchmarkDataError(f"{root / book} has questions of several splits: {', '.join(splits)}; name one")
    return splits[0] if splits else None


def set_digest(folder: Path) -> str:
    """SHA-256 over the markdown files and questions of a folder of books."""
    files = [*folder.glob("*/**/*.md"), *folder.glob("*.jsonl")]
    return digest_of(files)
