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
from retrieval.ingest.guard_report import GuardCounts, TableGuard, count_guards
from retrieval.ingest.library.book import read_book_or_last
from retrieval.ingest.library.library import BookFolder, shown_name
from retrieval.ingest.losses import Loss, recorded_losses
from retrieval.ingest.owner_rules import unmet_rules
from retrieval.ingest.tables.table import Table
from retrieval.ingest.tables.unread import unread_tables
from retrieval.language.vocabulary import Vocabulary
from retrieval.types import Book, Chunk

BOOK_FILE, TABLES_FILE, ROWS_FILE = "book.jsonl", "tables.jsonl", "table_rows.jsonl"
PREDICATES_FILE, CHUNKS_FILE = "predicates.jsonl", "chunks.jsonl"
"""The files of a book's folder, in the order in which they are made."""

_SUFFIX = ".losses.jsonl"


@contextmanager
def kept_losses(folder: Path, asset: str) -> Iterator[Collection[Loss]]:
    """Yield the losses of an asset's reading of a book, filled as they occur and saved in its folder at the end."""
    with recorded_losses() as losses:
        yield losses
    write_jsonl(folder / f"{asset}{_SUFFIX}", losses)


def losses_of(folder: Path) -> tuple[Loss, ...]:
    """Return all losses of the book whose records are in `folder`, each once, by document and line."""
    losses = {loss for path in folder.glob(f"*{_SUFFIX}") for loss in read_jsonl(path, Loss)}
    return tuple(sorted(losses, key=lambda loss: (loss.document, loss.line, loss.part, loss.error)))


ENTRY_FILE = "entry.jsonl"
GUARDS = "guards.jsonl"
"""File in a book's folder of records with the verdict on each of its tables."""
_DIGEST = "digest.txt"
_SOURCE = "source.txt"
"""File with the name of the source folder that the records were made from."""


@dataclass(frozen=True, slots=True)
class BookEntry:
    """One indexed book. Key: slug."""

    slug: str
    title: str
    digest: str
    """Digest of its folder when it was read; if that of the library differs, the book has changed since."""
    n_documents: int
    n_chunks: int
    n_tables: int
    n_guarded: int
    """Number of chunks with a predicate."""
    ignored: tuple[str, ...]
    warnings: tuple[str, ...]
    guards: GuardCounts | None = None
    """Counts for its tables; None for a book indexed by an earlier version of this program, which lacked them."""
    losses: tuple[str, ...] = ()
    """A sentence for each missing part: the book itself, a document, or the result of a failed rule."""
    fault: str = ""
    """Why the book could not be read, so that its records are those of an earlier version; empty if it could."""


def keep_source(folder: Path, source: Path, digest: str) -> None:
    """Record in a book's folder of records their source and its digest."""
    write_atomically(folder / _SOURCE, f"{shown_name(source)}\n")
    write_atomically(folder / _DIGEST, digest + "\n")


def read_for_index(home: Home, folder: BookFolder) -> Book:
    """Return the book as a build reads it: if it cannot be read now, as it was last read, or else empty."""
    return read_book_or_last(folder, _last_reading(home.book(folder.slug), folder.path))


def _last_reading(folder: Path, source: Path) -> Book | None:
    """Return the book as it was last read, from the records in `folder`; None if never, or from another source."""
    kept = folder / _SOURCE
    if not kept.is_file() or kept.read_bytes() != f"{shown_name(source)}\n".encode():
        return None
    try:
        (book,) = read_jsonl(folder / BOOK_FILE, Book)
    except (FileNotFoundError, IndexCorruptError, ValueError):
        return None
    return book


def fault_sentence(book: Book) -> str:
    """Return a sentence that states why a book cannot be read, and whether its last indexed version is kept."""
    kept = "its last indexed version stays in the index" if book.documents else "it is left out"
    return f"{book.slug}: the book cannot be read, and {kept}: {book.fault}"


def missing_from(folder: Path, book: Book) -> tuple[str, ...]:
    """Return a sentence for each part of a book that is missing from its records in `folder`, with its place."""
    losses = (f"{book.slug}/{loss}" if loss.document else f"{book.slug}: {loss}" for loss in losses_of(folder))
    return (*([fault_sentence(book)] if book.fault else ()), *losses)


def unfinished_books(home: Home, slugs: Iterable[str]) -> tuple[str, ...]:
    """Return the books that were read again but not indexed to the end: their records are of two states."""
    entries = book_entries(home)
    return tuple(
        slug
        for slug in slugs
        if (home.book(slug) / _DIGEST).is_file()
        and (slug not in entries or entries[slug].digest != (home.book(slug) / _DIGEST).read_text("ascii").strip())
    )


def enter_book(folder: Path, vocabulary: Vocabulary) -> None:
    """Write the entry of the book whose records, made with `vocabulary`, are in `folder`; the last step of indexing."""
    (book,) = read_jsonl(folder / BOOK_FILE, Book)
    chunks = read_jsonl(folder / CHUNKS_FILE, Chunk)
    tables = read_jsonl(folder / TABLES_FILE, Table)
    guards = folder / GUARDS
    digest = folder / _DIGEST
    entry = BookEntry(
        slug=book.slug,
        title=book.title,
        digest=digest.read_text(encoding="ascii").strip() if digest.is_file() else "",
        n_documents=len({chunk.document for chunk in chunks}),
        n_chunks=len(chunks),
        n_tables=len(tables),
        n_guarded=sum(chunk.query_must is not None for chunk in chunks),
        ignored=book.ignored,
        warnings=(
            *book.warnings,
            *(f"{table.document}: {table.warning}" for table in tables if table.warning),
            *unread_tables(book.documents, tables),
            *unmet_rules(book.table_rules, tables, vocabulary),
        ),
        losses=missing_from(folder, book),
        fault=book.fault,
        guards=count_guards(read_jsonl(guards, TableGuard)) if guards.is_file() else None,
    )
    write_jsonl(folder / ENTRY_FILE, [entry])


def book_entries(home: Home) -> dict[str, BookEntry]:
    """Return the entries of indexed books by slug, in slug order; a book that was never finished has none."""
    entries: dict[str, BookEntry] = {}
    for path in sorted((home.root / "books").glob(f"*/{ENTRY_FILE}")):
        try:
            (entry,) = read_jsonl(path, BookEntry)
        except (IndexCorruptError, ValueError):
            continue  # of another version of this program; the next build writes it again
        entries[entry.slug] = entry
    return entries


@dataclass(frozen=True, slots=True)
class BookRecords:
    """A book's chunks and the keys of their vectors."""

    digest: str
    """sha256 of the file of the chunks."""
    chunks: tuple[Chunk, ...]
    keys: tuple[str, ...]
    """Aligned with the chunks."""


_READ: dict[Path, BookRecords] = {}
"""Cache by folder of records; it needs no limit, because a process of a build reads one library and then ends."""


def book_records(folder: Path) -> BookRecords:
    """Return the current chunks of a book from its folder of records.

    Raises:
        FileNotFoundError: the book has no chunks yet.
        IndexCorruptError: a line of the file is not a chunk.
    """
    path = folder / CHUNKS_FILE
    digest = sha256(path.read_bytes()).hexdigest()
    known = _READ.get(folder)
    if known is None or known.digest != digest:
        chunks = read_jsonl(path, Chunk)
        known = _READ[folder] = BookRecords(digest, chunks, tuple(map(embedding_key, chunks)))
    return known
