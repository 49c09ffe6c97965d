"""A library is a folder of books, a book a folder of markdown documents; here they are found and read."""

import hashlib
import os
import re
import tomllib
import unicodedata
from dataclasses import dataclass
from pathlib import Path

from retrieval.errors import InvalidDocumentError, LibraryError
from retrieval.ingest.library.book_files import (
    BookFiles,
    book_files,
    cannot_be_read,
    leads_out,
    read_bytes,
    read_own,
    shown_name,
)
from retrieval.ingest.library.front_matter import read_metadata, split_front_matter
from retrieval.ingest.library.table_rules import TABLES_FILE, read_table_rules
from retrieval.query_must.extraction import predicates_in
from retrieval.types import Book, Document, Metadata, MetadataValue

UNKNOWN_DATE = "1970-01-01"
"""The last_update_date of a book that gives none; a file's own time would differ from copy to copy."""

_SLUG = re.compile(r"[a-z0-9]+(?:[-._][a-z0-9]+)*")
VOCABULARY_FILE = "vocabulary.toml"
"""Beside the books: the words of a library, over the generic ones."""

_RESERVED_FILES = frozenset({"book.toml", VOCABULARY_FILE})


@dataclass(frozen=True, slots=True)
class BookFolder:
    """Where a book is, before it is read. Key: slug."""

    slug: str
    path: Path
    library: Path
    """What it is a book of; no link in it may lead out of that."""
    digest: str
    """sha256 over the names and bytes of its markdown files, its book.toml and tables.toml, and the vocabulary.
    Of what cannot be read it holds that it cannot."""


def slugify(name: str) -> str:
    """Lower-case ASCII letters, digits, dots and dashes: safe as a partition key and as a file name.

    Raises:
        LibraryError: nothing of the name is left.
    """
    ascii_name = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode().lower()
    slug = re.sub(r"[^a-z0-9.]+", "-", ascii_name).strip("-.")
    slug = re.sub(r"[-.]{2,}", "-", slug)
    if not _SLUG.fullmatch(slug):
        raise LibraryError(f"the folder name {name!r} has no letter or digit to make a book's key of; rename it")
    return slug


def list_books(library: Path) -> tuple[BookFolder, ...]:
    """The books of a library in slug order; without sub-folders that hold markdown, the library is one book.

    A folder that the system does not let us look into is one of them, for it may have been: to read it is an error.

    Raises:
        LibraryError: no such folder, no markdown in it, two folders with one slug, or a vocabulary that the system
            does not let us read.
    """
    folders = _folders(library)
    vocabulary = read_own(library / VOCABULARY_FILE, library) or ""
    books: dict[str, BookFolder] = {}
    for folder in folders:
        slug = slugify(folder.name)
        if slug in books:
            raise LibraryError(
                f"{books[slug].path.name!r} and {folder.name!r} both become the key {slug!r}; rename one"
            )
        books[slug] = BookFolder(slug, folder, library, _digest(folder, library, vocabulary))
    return tuple(books[slug] for slug in sorted(books))


def check_library(library: Path) -> None:
    """See that there is something to read, without reading it.

    Raises:
        LibraryError: no such folder, or no markdown in it.
    """
    _folders(library)


def stray_files(library: Path) -> tuple[str, ...]:
    """Files beside the book folders: no book holds them, so they are ignored and listed."""
    if not _book_folders(library):
        return ()
    files = (path for path in _entries(library) if path.is_file() and path.name not in _RESERVED_FILES)
    return tuple(shown_name(Path(path.name)) for path in files)


def refused_folders(library: Path) -> tuple[str, ...]:
    """Links beside the book folders that lead out of the library: their books are not read."""
    links = (path for path in _entries(library) if not _hidden(path) and leads_out(path, library) and path.is_dir())
    return tuple(shown_name(Path(path.name)) for path in links)


def read_book(folder: BookFolder) -> Book:
    """Every `.md` file of a book in name order, with its effective metadata.

    A file that is not text, a link that is not followed, and a key of front matter that cannot be read, are left out
    with a warning, so that one bad file does not hide a book.

    Raises:
        LibraryError: book.toml or tables.toml cannot be read, the system does not let us read a file or a folder, or
            no document is left.
    """
    files = book_files(folder.path, folder.library)
    if files.unreadable:
        raise LibraryError(f"book {folder.slug!r}: {'; '.join(cannot_be_read(*each) for each in files.unreadable)}")
    given = _book_toml(folder)
    rules = read_table_rules(folder.path) if read_own(folder.path / TABLES_FILE, folder.library) is not None else ()
    defaults = _defaults(_utf_8(folder.path.name), given)
    warnings = [f"{shown_name(path.relative_to(folder.path))}: {why}" for path, why in files.refused]
    documents = []
    for path in files.markdown:
        relative = path.relative_to(folder.path).as_posix()
        try:
            documents.append(_read_document(folder.slug, path, relative, defaults, warnings))
        except InvalidDocumentError as error:
            warnings.append(str(error))
    if not documents:
        raise LibraryError(f"book {folder.slug!r}: no readable document; {'; '.join(warnings)}")
    if any(document.metadata["last_update_date"] == UNKNOWN_DATE for document in documents):
        warnings.insert(0, f"no last_update_date in book.toml: {UNKNOWN_DATE} is used")
    return Book(folder.slug, str(defaults["title"]), tuple(documents), _ignored(folder, files), tuple(warnings), rules)


def _folders(library: Path) -> list[Path]:
    if not library.is_dir():
        raise LibraryError(f"{library} is not a folder; name the folder that holds your books")
    folders = _book_folders(library)
    if not any(book_files(folder, library).markdown for folder in folders) and _own_markdown(library):
        folders = [library.resolve()]
    if not folders:
        links = refused_folders(library)
        led = f"; not followed, because they are links that lead out of it: {', '.join(links)}" if links else ""
        raise LibraryError(f"{library} holds no markdown (*.md) file, neither itself nor in its sub-folders{led}")
    return folders


def _entries(library: Path) -> list[Path]:
    try:
        return sorted(library.iterdir())
    except OSError as error:
        raise LibraryError(cannot_be_read(library, error.strerror or str(error))) from error


def _book_folders(library: Path) -> list[Path]:
    # `.github` holds markdown and is not a book; as one it would make strays of the chapters of a flat library.
    return [
        path
        for path in _entries(library)
        if path.is_dir() and not _hidden(path) and not leads_out(path, library) and _may_be_book(path, library)
    ]


def _may_be_book(folder: Path, library: Path) -> bool:
    files = book_files(folder, library)
    return bool(files.markdown or files.unreadable) or any(path.suffix == ".md" for path, _ in files.refused)


def _own_markdown(library: Path) -> bool:
    return any(path.suffix == ".md" and not path.is_dir() and not _hidden(path) for path in _entries(library))


def _hidden(path: Path) -> bool:
    return path.name.startswith(".")


def _ignored(folder: BookFolder, files: BookFiles) -> tuple[str, ...]:
    read = {*_RESERVED_FILES, TABLES_FILE}
    others = (path.relative_to(folder.path) for path in files.ignored if path.name not in read)
    return tuple(sorted(map(shown_name, others)))


def _digest(folder: Path, library: Path, vocabulary: str) -> str:
    digest = hashlib.sha256(vocabulary.encode())
    files = book_files(folder, library)
    for path in [*files.markdown, folder / "book.toml", folder / TABLES_FILE]:
        if not leads_out(path, library) and path.is_file():
            digest.update(path.relative_to(folder).as_posix().encode() + b"\0")
            try:
                digest.update(hashlib.sha256(path.read_bytes()).digest())
            except OSError:
                digest.update(b"unreadable")
    for path, _ in files.unreadable:
        digest.update(b"unreadable\0" + os.fsencode(path.relative_to(folder)))
    return digest.hexdigest()


def _book_toml(folder: BookFolder) -> Metadata:
    path = folder.path / "book.toml"
    try:
        return read_metadata(tomllib.loads(read_own(path, folder.library) or ""), path.name)
    except (ValueError, RecursionError, InvalidDocumentError) as error:
        raise LibraryError(f"{shown_name(path)}: {error}") from error


def _utf_8(name: str) -> str:
    return os.fsencode(name).decode("utf-8", "replace")


def _defaults(folder_name: str, given: Metadata) -> Metadata:
    doc_type = given.get("doc_type", "rulebook")
    stated: dict[str, MetadataValue] = {
        "title": folder_name,
        "source": folder_name,
        "doc_type": doc_type,
        "category": doc_type,
        "last_update_date": UNKNOWN_DATE,
    }
    return stated | dict(given)


def _read_document(slug: str, path: Path, relative: str, defaults: Metadata, warnings: list[str]) -> Document:
    text = _decode(read_bytes(path), relative, warnings).replace("\r\n", "\n").replace("\r", "\n")
    front_matter, body, first_line = split_front_matter(text, relative, warnings)
    if places := predicates_in(body):
        line = first_line + body.count("\n", 0, places[0])
        warnings.append(
            f"{relative}: JSON is read as prose, so nothing asks a query_must that is written in it (line {line}; "
            f"{len(places)} in the file); write the rows as a table; {TABLES_FILE} takes a row's query_must"
        )
    return Document(slug, relative, body, dict(defaults) | dict(front_matter), first_line)


def _decode(raw: bytes, relative: str, warnings: list[str]) -> str:
    if b"\0" in raw:
        raise InvalidDocumentError(f"{relative}: holds NUL bytes, so it is not text; it is left out")
    if not raw.strip():
        warnings.append(f"{relative}: empty")
    try:
        return raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        warnings.append(f"{relative}: byte {error.start} is not UTF-8; read as Latin-1 (Windows-1252)")
        return raw.decode("cp1252", errors="replace")
