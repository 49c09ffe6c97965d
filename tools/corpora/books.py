"""Sets of books with question files, as corpora and as plain records, and the data files that every benchmark shares.

Any folder that looks so is a set, named as the folder is.
"""

import json
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from hashlib import sha256
from pathlib import Path
from typing import Any, Protocol, TypeVar

from evals.errors import EvaluationError
from evals.generation.generation import generate_questions
from evals.questions.question_sets import FILE_NAME, QuestionSet
from evals.questions.questions import Question, load_questions
from evals.sample import SHELF
from retrieval.files.records import unpacked
from retrieval.ingest.chunking import chunks_of_book
from retrieval.ingest.library.book import read_book
from retrieval.ingest.library.library import BookFolder, list_books
from retrieval.language.vocabulary import Vocabulary
from retrieval.search.retriever import Retriever
from retrieval.types import Chunk

_ENDINGS = (".jsonl.gz", ".jsonl")

Record = TypeVar("Record")


class BenchmarkDataError(EvaluationError):
    """A benchmark's folder, split or file is not there or not in its format."""


def benchmark_folder(folder: Path) -> Path:
    """The folder, made absolute.

    Raises:
        BenchmarkDataError: there is none.
    """
    result = folder.expanduser().resolve()
    if not result.is_dir():
        raise BenchmarkDataError(
            f"{result} is not a folder; name the folder of the benchmark: --data, or `data` in the launchpad"
        )
    return result


def data_file(folder: Path, stem: str) -> Path:
    """The file `<stem>.jsonl.gz` or `<stem>.jsonl` of a folder.

    Raises:
        BenchmarkDataError: neither is there; says what is.
    """
    for ending in _ENDINGS:
        if (folder / f"{stem}{ending}").is_file():
            return folder / f"{stem}{ending}"
    there = sorted(path.name for path in folder.iterdir() if path.is_file())
    raise BenchmarkDataError(
        f"{folder} has no {stem}.jsonl or {stem}.jsonl.gz; it has: {', '.join(there) or 'no file'}"
    )


def stems(folder: Path, suffix: str) -> tuple[str, ...]:
    """What comes before `<suffix>.jsonl[.gz]` in the names of a folder's files, sorted."""
    ends = tuple(f"{suffix}{ending}" for ending in _ENDINGS)
    stems = {path.name.removesuffix(end) for path in folder.iterdir() for end in ends if path.name.endswith(end)}
    return tuple(sorted(stems))


def splits_of(folder: Path, name: str) -> tuple[str, ...]:
    """The splits of `<name>.<split>.jsonl[.gz]` among a folder's files, sorted; a split has no dot in its name."""
    questions = re.compile(re.escape(name) + r"\.([^.]+)\.jsonl(\.gz)?")
    splits = {match[1] for path in folder.iterdir() if (match := questions.fullmatch(path.name))}
    return tuple(sorted(splits))


def read_records(path: Path, parse: Callable[[Mapping[str, Any]], Record]) -> Iterator[Record]:
    """One record for each line of a JSON-lines file.

    Raises:
        BenchmarkDataError: the file cannot be read, or a line is not what `parse` reads; names the line.
    """
    for number, line in enumerate(_lines(path), start=1):
        if not line.strip():
            continue
        try:
            record = parse(json.loads(line))
        except (ValueError, KeyError, TypeError, AttributeError, IndexError) as error:
            location = f"{path}:{number}"
            raise BenchmarkDataError(
                f"{location}: not a line of this format ({type(error).__name__}: {error})"
            ) from error
        yield record


def digest_of(paths: Iterable[Path]) -> str:
    """SHA-256 over names and bytes of files."""
    digest = sha256()
    for path in sorted(paths):
        digest.update(path.name.encode() + b"\0" + sha256(path.read_bytes()).digest())
    return digest.hexdigest()


def _lines(path: Path) -> list[str]:
    try:
        return unpacked(path.read_bytes(), path).split("\n")
    except (OSError, ValueError) as error:
        raise BenchmarkDataError(f"{path} cannot be read as UTF-8 lines ({error}); fetch it again") from error


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
    query = [book for book in books if split in splits[book.path.name]]
    if not query:
        there = "; ".join(f"{name}: {', '.join(split)}" for name, split in splits.items() if split)
        raise BenchmarkDataError(
            f"{root} has no <book>.{split}.jsonl beside a book's folder; its splits: {there or 'none'}"
        )
    return tuple(BookCorpus(root.name, split, book, data_file(root, f"{book.path.name}.{split}")) for book in query)


def is_set_of_books(folder: Path) -> bool:
    """Whether a folder has a sub-folder with questions of any split beside it."""
    return any(path.is_dir() and splits_of(folder, path.name) for path in folder.iterdir())


class Corpus(Protocol):
    """Texts that are searched together, and the questions about them. Key: (set, name)."""

    @property
    def name(self) -> str:
        """Slug of the book, or name of the collection."""

    @property
    def digest(self) -> str:
        """Hash of the files that its chunks are made of."""

    def chunks(self, vocabulary: Vocabulary) -> tuple[Chunk, ...]:
        """Read and chunk the texts."""

    def question_sets(self, retriever: Retriever, chunks: Sequence[Chunk]) -> tuple[QuestionSet, ...]:
        """The questions with their gold.

        Args:
            retriever: over an index of these chunks.
            chunks: those of the index, in the order of their positions.
        """


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
    documents = generate_questions(chunks, vocabulary, seed)
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


SHELF_VERSION = "1.0"
"""Of books and questions of the shelf. A changed byte needs a new version: a test holds it to a hash."""


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
        if (name := _questions_split(root, path.name, split)) is not None
    )
    if not books:
        raise BenchmarkDataError(f"{root} has no <book>.{split or '<split>'}.jsonl beside the folder of a book")
    version = SHELF_VERSION if root == SHELF else set_digest(root)[:12]
    return BookSet(root.name, version, books)


def _questions_split(root: Path, book: str, split: str | None) -> str | None:
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
