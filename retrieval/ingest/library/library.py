"""A library is a folder of books, or one file of documents with metadata; here its books are found."""

import hashlib
import os
import re
import unicodedata
from collections.abc import Container
from dataclasses import dataclass
from pathlib import Path

from retrieval.errors import LibraryError
from retrieval.ingest.library.book_files import book_files, cannot_be_read, leads_out, read_bytes, read_own, shown_name
from retrieval.ingest.library.json_lines import ENDINGS, is_json_lines, stem_of
from retrieval.ingest.library.table_rules import TABLES_FILE

_LATIN_ACCENT = re.compile(r"([A-Za-z])[\u0300-\u036f]+")
VOCABULARY_FILE = "vocabulary.toml"
"""Beside the books: the words of a library, over the generic ones."""

RESERVED_FILES = frozenset({"book.toml", VOCABULARY_FILE})


@dataclass(frozen=True, slots=True)
class BookFolder:
    """Where a book is, before it is read. Key: slug."""

    slug: str
    path: Path
    """Its folder, or its file of documents."""
    library: Path
    """What it is a book of; no link in it may lead out of that."""
    digest: str
    """sha256 over the names and bytes of its markdown files, its book.toml and tables.toml, and the vocabulary; over
    the bytes of a file of documents. Of what cannot be read it holds that it cannot."""


def slugify(name: str) -> str:
    """Lower-case letters and digits of any script with dots and dashes: safe as a partition key and as a file name.

    Accents on Latin letters go: `Café, noir` is `cafe-noir`. Of other scripts the marks are part of the letters.

    Raises:
        LibraryError: nothing of the name is left.
    """
    latin = _LATIN_ACCENT.sub(r"\1", unicodedata.normalize("NFKD", name))
    folded = unicodedata.normalize("NFC", unicodedata.normalize("NFKC", latin).casefold())
    kept = "".join(letter if letter == "." or _is_of_a_word(letter) else "-" for letter in folded)
    slug = re.sub(r"[-.]{2,}", "-", kept.strip("-."))
    if not any(map(str.isalnum, slug)):
        raise LibraryError(f"{name!r} has no letter or digit to make a book's key of; rename it")
    return slug


def _is_of_a_word(letter: str) -> bool:
    return letter.isalnum() or unicodedata.category(letter).startswith("M")


def _free_slug(name: str, taken: Container[str]) -> str:
    """The slug of a folder; where it has none or another folder has it too, one that its whole name makes different."""
    code = hashlib.sha256(os.fsencode(name)).hexdigest()[:8]
    try:
        slug = slugify(name)
    except LibraryError:
        return f"book-{code}"
    return slug if slug not in taken else f"{slug}-{code}"


def list_books(library: Path) -> tuple[BookFolder, ...]:
    """The books of a library in slug order; without sub-folders that hold markdown, the library is one book, and so is
    a file of documents.

    A folder that the system does not let us look into is one of them, for it may have been: to read it is an error.

    Raises:
        LibraryError: no such folder or file of documents, no markdown in it, or a vocabulary or file of documents that
            the system does not let us read.
    """
    if is_json_lines(library):
        digest = hashlib.sha256(read_bytes(library)).hexdigest()
        return (BookFolder(_free_slug(stem_of(library), ()), library, library, digest),)
    folders = _folders(library)
    vocabulary = read_own(library / VOCABULARY_FILE, library) or ""
    books: dict[str, BookFolder] = {}
    for folder in folders:
        slug = _free_slug(folder.name, books)
        books[slug] = BookFolder(slug, folder, library, _digest(folder, library, vocabulary))
    return tuple(books[slug] for slug in sorted(books))


def check_library(library: Path) -> None:
    """See that there is something to read, without reading it.

    Raises:
        LibraryError: no such folder or file of documents, or no markdown in it.
    """
    if not is_json_lines(library):
        _folders(library)


def stray_files(library: Path) -> tuple[str, ...]:
    """Files beside the book folders: no book holds them, so they are ignored and listed."""
    if is_json_lines(library) or not _book_folders(library):
        return ()
    files = (path for path in _entries(library) if path.is_file() and path.name not in RESERVED_FILES)
    return tuple(shown_name(Path(path.name)) for path in files)


def refused_folders(library: Path) -> tuple[str, ...]:
    """Links beside the book folders that lead out of the library: their books are not read."""
    if is_json_lines(library):
        return ()
    links = (path for path in _entries(library) if not _hidden(path) and leads_out(path, library) and path.is_dir())
    return tuple(shown_name(Path(path.name)) for path in links)


def _folders(library: Path) -> list[Path]:
    if not library.is_dir():
        raise LibraryError(
            f"{library} is neither a folder nor a file of documents ({', '.join(ENDINGS)}); "
            "name the folder that holds your books"
        )
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
