"""Records of a book in a home: its entry, its chunks, its reading losses."""

from collections.abc import Collection, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

from retrieval.errors import IndexCorruptError
from retrieval.files.atomic_files import write_atomically
from retrieval.files.records import read_jsonl, write_jsonl
from retrieval.home import Home
from retrieval.index.embedding.embedding_store import embedding_key
from retrieval.ingest.guarding import GuardCounts, TableGuard, count_guards, unmet
from retrieval.ingest.library.book import read_book_or_last
from retrieval.ingest.library.library import BookFolder, shown_name
from retrieval.ingest.losses import Loss, recorded_losses
from retrieval.ingest.tables.table import Table
from retrieval.language.vocabulary import Vocabulary
from retrieval.types import Book, Chunk

_SUFFIX = ".losses.jsonl"


@contextmanager
def kept_losses(folder: Path, asset: str) -> Iterator[Collection[Loss]]:
    """The losses of what an asset reads of a book, filled as they occur and written to the book's folder at the end."""
    with recorded_losses() as losses:
        yield losses
    write_jsonl(folder / f"{asset}{_SUFFIX}", losses)


def losses_of(folder: Path) -> tuple[Loss, ...]:
    """All that is missing of the book whose records are in `folder`, each once, by document and line."""
    losses = {loss for path in folder.glob(f"*{_SUFFIX}") for loss in read_jsonl(path, Loss)}
    return tuple(sorted(losses, key=lambda loss: (loss.document, loss.line, loss.part, loss.error)))


ENTRY_FILE = "entry.jsonl"
GUARDS = "guards.jsonl"
"""The verdict on each table of a book, in the book's folder of records."""
_DIGEST = "digest.txt"
_SOURCE = "source.txt"
"""The folder that the records are made of."""


@dataclass(frozen=True, slots=True)
class BookEntry:
    """One indexed book. Key: slug."""

    slug: str
    title: str
    digest: str
    """Of its folder as it was read; the library's other one says that the book changed since."""
    n_documents: int
    n_chunks: int
    n_tables: int
    n_guarded: int
    """Chunks with a predicate."""
    ignored: tuple[str, ...]
    warnings: tuple[str, ...]
    guards: GuardCounts | None = None
    """Of its tables; None for a book that a version of this program indexed which did not count them."""
    losses: tuple[str, ...] = ()
    """What is missing of it, a sentence for each part: the book itself, a document, what a failed rule would say."""


def keep_source(folder: Path, source: Path, digest: str) -> None:
    """Remember in a book's folder of records which source, and which state of it, they are made from."""
    write_atomically(folder / _SOURCE, f"{shown_name(source)}\n")
    write_atomically(folder / _DIGEST, digest + "\n")


def read_for_index(home: Home, folder: BookFolder) -> Book:
    """The book as a build reads it: where it cannot be read now, its last reading, or else nothing of it."""
    return read_book_or_last(folder, _last_reading(home.book(folder.slug), folder.path))


def _last_reading(folder: Path, source: Path) -> Book | None:
    """The book as it was read last, from the records in `folder`; None if that was of another source, or never."""
    kept = folder / _SOURCE
    if not kept.is_file() or kept.read_text(encoding="utf-8") != f"{shown_name(source)}\n":
        return None
    try:
        (book,) = read_jsonl(folder / "book.jsonl", Book)
    except (FileNotFoundError, IndexCorruptError, ValueError):
        return None
    return book


def fault_sentence(book: Book) -> str:
    """Why a book cannot be read, and what of it is in the index."""
    kept = "its last reading stays in the index" if book.documents else "it is left out"
    return f"{book.slug}: the book cannot be read, and {kept}: {book.fault}"


def missing_from(folder: Path, book: Book) -> tuple[str, ...]:
    """A sentence for each part of a book that is missing from its records in `folder`, with its place."""
    losses = (f"{book.slug}/{loss}" if loss.document else f"{book.slug}: {loss}" for loss in losses_of(folder))
    return (*([fault_sentence(book)] if book.fault else ()), *losses)


def unfinished_books(home: Home, slugs: Iterable[str]) -> tuple[str, ...]:
    """Books that were read again and not indexed to the end: their records are of two states."""
    entries = book_entries(home)
    return tuple(
        slug
        for slug in slugs
        if (home.book(slug) / _DIGEST).is_file()
        and (slug not in entries or entries[slug].digest != (home.book(slug) / _DIGEST).read_text("ascii").strip())
    )


def enter_book(folder: Path, vocabulary: Vocabulary) -> None:
    """Write the entry of the book whose records are in `folder`; the last step of indexing it.

    Args:
        folder: of the records.
        vocabulary: the one that they were made with.
    """
    (book,) = read_jsonl(folder / "book.jsonl", Book)
    chunks = read_jsonl(folder / "chunks.jsonl", Chunk)
    tables = read_jsonl(folder / "tables.jsonl", Table)
    guards = folder / GUARDS
    digest = folder / _DIGEST
    entry = BookEntry(
        slug=book.slug,
        title=book.title,
        digest=digest.read_text(encoding="ascii").strip() if digest.is_file() else "",
        n_documents=len(book.documents),
        n_chunks=len(chunks),
        n_tables=len(tables),
        n_guarded=sum(chunk.query_must is not None for chunk in chunks),
        ignored=book.ignored,
        warnings=(
            *book.warnings,
            *(f"{table.document}: {table.warning}" for table in tables if table.warning),
            *unmet(book.table_rules, tables, vocabulary),
        ),
        losses=missing_from(folder, book),
        guards=count_guards(read_jsonl(guards, TableGuard)) if guards.is_file() else None,
    )
    write_jsonl(folder / ENTRY_FILE, [entry])


def book_entries(home: Home) -> dict[str, BookEntry]:
    """The entries of the books that were indexed, by slug and in slug order; of one never finished there is none."""
    entries: dict[str, BookEntry] = {}
    for path in sorted((home.root / "books").glob(f"*/{ENTRY_FILE}")):
        try:
            (entry,) = read_jsonl(path, BookEntry)
        except (IndexCorruptError, ValueError):
            continue  # of another version of this program; the next build writes it again
        entries[entry.slug] = entry
    return entries


CHUNKS = "chunks.jsonl"


@dataclass(frozen=True, slots=True)
class BookRecords:
    """A book's chunks, and what their vectors are kept under."""

    digest: str
    """sha256 of the file that they were read from."""
    chunks: tuple[Chunk, ...]
    keys: tuple[str, ...]
    """Aligned with the chunks."""


_READ: dict[Path, BookRecords] = {}
"""By folder of records. A build's process reads one library, and ends with the build."""


def book_records(folder: Path) -> BookRecords:
    """What the folder of a book's records holds now.

    Raises:
        FileNotFoundError: the book has no chunks yet.
        IndexCorruptError: a line of them is no chunk.
    """
    path = folder / CHUNKS
    digest = sha256(path.read_bytes()).hexdigest()
    known = _READ.get(folder)
    if known is None or known.digest != digest:
        chunks = read_jsonl(path, Chunk)
        known = _READ[folder] = BookRecords(digest, chunks, tuple(map(embedding_key, chunks)))
    return known
