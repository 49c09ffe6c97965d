"""Files by which stages pass on results when they run one by one, outside of a home."""

import shutil
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory

from pipeline.building.book_records import BOOK_FILE, ROWS_FILE
from retrieval.errors import LibraryError
from retrieval.files.records import read_jsonl, write_jsonl
from retrieval.ingest.chunking import chunk_book, chunks_of_book
from retrieval.ingest.document_names import is_markdown
from retrieval.ingest.library.book import read_book
from retrieval.ingest.library.library import VOCABULARY_FILE, list_books
from retrieval.ingest.library.table_rules import TABLES_FILE
from retrieval.ingest.parsed_book import parse_book
from retrieval.ingest.tables.row_predicates import extract_predicates
from retrieval.language.vocabulary import Vocabulary, load_vocabulary
from retrieval.types import Book, Chunk, Row

_BESIDE = ("book.toml", TABLES_FILE)


@dataclass(frozen=True, slots=True)
class Source:
    """The input of the first stage."""

    books: tuple[Book, ...]
    vocabulary: Vocabulary


def read_source(path: Path) -> Source:
    """Read the books of a library, of a folder of markdown, of one markdown file, or of a file of documents.

    A markdown file is a book by itself, with the `book.toml` and `tables.toml` beside it.

    Raises:
        FileNotFoundError: the path does not exist.
        LibraryError: it cannot be read as books.
    """
    path = path.expanduser().resolve()
    if not path.exists():
        raise FileNotFoundError(2, "no such file", str(path))
    if path.is_file() and is_markdown(path):
        with TemporaryDirectory() as folder:
            alone = Path(folder) / path.stem
            alone.mkdir()
            for file in (path, *(path.with_name(name) for name in _BESIDE)):
                if file.is_file():
                    shutil.copyfile(file, alone / file.name)
            return Source(tuple(map(read_book, list_books(alone))), Vocabulary.default())
    own = path / VOCABULARY_FILE
    words = load_vocabulary(own) if own.is_file() else Vocabulary.default()
    return Source(tuple(map(read_book, list_books(path))), words)


def write_rows(folder: Path, book: Book, rows: Sequence[Row]) -> Path:
    """Write the rows of a book for `chunk`; return the folder of the book."""
    position = folder / book.slug
    write_jsonl(position / BOOK_FILE, [book])
    write_jsonl(position / ROWS_FILE, rows)
    return position


def cut_books(path: Path) -> tuple[tuple[Book, tuple[Chunk, ...]], ...]:
    """Return each book with its chunks: from the files of `write_rows`, or from books whose tables the rules read.

    Raises:
        FileNotFoundError: the path does not exist.
        IndexCorruptError: the files do not have the format of this version.
        LibraryError: it cannot be read as books.
    """
    folders = sorted(rows.parent for rows in path.expanduser().glob(f"*/{ROWS_FILE}"))
    if folders:
        made = ((read_jsonl(folder / BOOK_FILE, Book)[0], read_jsonl(folder / ROWS_FILE, Row)) for folder in folders)
        return tuple((book, chunk_book(parse_book(book), extract_predicates(rows))) for book, rows in made)
    source = read_source(path)
    return tuple((book, chunks_of_book(book, source.vocabulary)) for book in source.books)


def read_chunks(path: Path) -> tuple[Chunk, ...]:
    """Read the chunks that `chunk` wrote, with their ids made unique if two books share a text.

    Raises:
        FileNotFoundError: the file does not exist.
        IndexCorruptError: a line of the file is not a chunk.
        LibraryError: the file is empty.
    """
    stored = read_jsonl(path.expanduser(), Chunk)
    if not stored:
        raise LibraryError(f"{path} holds no chunk; write some: querymust chunk IN --output {path}")
    seen: dict[str, int] = {}
    chunks = []
    for chunk in stored:
        seen[chunk.id] = seen.get(chunk.id, 0) + 1
        chunks.append(chunk if seen[chunk.id] == 1 else replace(chunk, id=f"{chunk.id}-{seen[chunk.id]}"))
    return tuple(chunks)
