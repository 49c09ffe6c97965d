"""A library: a folder of books or a file of documents, and its files."""

import hashlib
import json
import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any

from retrieval.errors import InvalidDocumentError, LibraryError
from retrieval.files.records import unpacked
from retrieval.ingest.document_names import JSON_LINES_ENDINGS, is_json_lines, is_markdown, stem_of
from retrieval.ingest.library.front_matter import read_metadata
from retrieval.ingest.library.slugs import free_slug
from retrieval.ingest.library.table_rules import TABLES_FILE
from retrieval.types import Book, Document, MetadataValue


@dataclass(frozen=True, slots=True)
class BookFiles:
    """The files of a folder and its sub-folders, in name order, without hidden files."""

    markdown: tuple[Path, ...]
    ignored: tuple[Path, ...]
    """Files that are not markdown."""
    refused: tuple[tuple[Path, str], ...]
    """Links and names that are not read, each with a sentence about the reason and the fix."""
    unreadable: tuple[tuple[Path, str], ...]
    """Folders and files to which the system denies access, each with the reason; they may contain books."""


def book_files(folder: Path, library: Path) -> BookFiles:
    """List the files of a folder. Nothing is opened, and a link is followed only to a file inside the library.

    Args:
        folder: of a book, or of the library if that is one book.
        library: the folder out of which no link may lead.
    """
    finding = _LibraryWalk(folder, library)
    finding.look()
    return BookFiles(
        tuple(sorted(finding.markdown, key=lambda path: path.relative_to(folder).as_posix())),
        tuple(sorted(finding.ignored)),
        tuple(sorted(finding.refused)),
        tuple(sorted(finding.unreadable)),
    )


def leads_out(path: Path, library: Path) -> bool:
    """Whether a path is a link to something outside the library."""
    return path.is_symlink() and not _real(path).is_relative_to(_real(library))


def shown_name(path: Path) -> str:
    """Return a path as text that can be printed and stored; bytes that are not UTF-8 become escapes like `\\xe9`."""
    return os.fsencode(path).decode("utf-8", "backslashreplace")


def cannot_be_read(path: Path, reason: str) -> str:
    """Return the sentence for a file or a folder to which the system denies access."""
    return f"{shown_name(path)} cannot be read ({reason}); make it readable, or take it out of the library"


def read_bytes(path: Path) -> bytes:
    """Return the bytes of a file. Raises LibraryError, with its name, if the system denies access."""
    try:
        return path.read_bytes()
    except OSError as error:
        raise LibraryError(cannot_be_read(path, error.strerror or str(error))) from error


def read_own(path: Path, library: Path) -> str | None:
    """Return the text of a file such as `book.toml`, or None if there is no such file.

    Raises:
        LibraryError: it is a link that leads out of the library, it cannot be read, or it is not UTF-8.
    """
    if leads_out(path, library):
        raise LibraryError(
            f"{shown_name(path)} is a link that leads out of the library; replace it with the file itself"
        )
    if not path.is_file():
        return None
    try:
        return read_bytes(path).decode("utf-8")
    except UnicodeDecodeError as error:
        raise LibraryError(f"{shown_name(path)}: byte {error.start} is not UTF-8; save it as UTF-8") from error


def _real(path: Path) -> Path:
    return Path(os.path.realpath(path))  # Path.resolve raises for a link to itself


class _LibraryWalk:
    def __init__(self, folder: Path, library: Path) -> None:
        self._folder = folder
        self._library = library
        self.markdown: list[Path] = []
        self.ignored: list[Path] = []
        self.refused: list[tuple[Path, str]] = []
        self.unreadable: list[tuple[Path, str]] = []

    def look(self) -> None:
        for path in self._entries():
            try:
                self._sort(path)
            except OSError as error:
                self.unreadable.append((path, error.strerror or str(error)))

    def _entries(self) -> Iterator[Path]:
        for parent, folders, names in os.walk(self._folder, onerror=self._refused_by_the_system):
            folders[:] = [name for name in folders if not name.startswith(".")]
            yield from (Path(parent, name) for name in [*folders, *names] if not name.startswith("."))

    def _refused_by_the_system(self, error: OSError) -> None:
        self.unreadable.append((Path(error.filename), error.strerror or str(error)))

    def _sort(self, path: Path) -> None:
        is_document = is_markdown(path)
        if path.is_dir():
            if path.is_symlink():
                self.refused.append((path, "a link to a folder is not followed; replace it with the folder itself"))
        elif is_document and leads_out(path, self._library):
            self.refused.append(
                (path, "a link that leads out of the library is not followed; replace it with the file itself")
            )
        elif is_document and not _is_utf_8(path.relative_to(self._folder)):
            self.refused.append((path, "its name is not UTF-8; rename it"))
        elif path.is_file():
            (self.markdown if is_document else self.ignored).append(path)
        elif is_document:
            self.refused.append((path, "a link to nothing, or not a file; replace it with the file itself"))


def _is_utf_8(path: Path) -> bool:
    try:
        os.fsencode(path).decode("utf-8")
    except UnicodeDecodeError:
        return False
    return True


MAX_ID = 200
"""Characters."""
_IDS, _TEXTS = ("id", "doc_id", "document_id"), ("text", "content", "body")


def read_json_lines(path: Path, slug: str) -> Book:
    """Read every document of a file, in the order of its lines.

    Lines that are not documents, lines with the id of an earlier line, and metadata keys that no index can store are
    omitted with a warning.

    Raises:
        LibraryError: the file cannot be read as UTF-8, or no document is left.
    """
    warnings: list[str] = []
    documents: dict[str, Document] = {}
    first_line: dict[str, int] = {}
    for number, line in _lines(path):
        where = f"line {number}"
        try:
            document = _document(line, slug, stem_of(path), where, warnings)
        except InvalidDocumentError as error:
            warnings.append(f"{error}; it is left out")
            continue
        if document.path in documents:
            warnings.append(
                f"{where}: id {document.path!r} is already on line {first_line[document.path]}; it is left out"
            )
            continue
        documents[document.path], first_line[document.path] = document, number
    if not documents:
        raise LibraryError(f"{shown_name(path)}: no line is a document; {'; '.join(warnings[:3]) or 'it is empty'}")
    return Book(slug, stem_of(path), tuple(documents.values()), (), tuple(warnings))


def document_of(record: Mapping[str, Any], book: str, source: str, where: str, warnings: list[str]) -> Document:
    """Return the document of one record.

    Args:
        book: slug of the book.
        source: of documents that do not give one.
        where: place of the record, for messages.
        warnings: receives a sentence for each omitted metadata key.

    Raises:
        InvalidDocumentError: there is no id or no text, or the metadata are not an object.
    """
    name = _first(record, _IDS)
    if not isinstance(name, str | int) or not _can_name(str(name)):
        raise InvalidDocumentError(
            f"{where}: its id is {name!r:.60}; give a printable text of at most {MAX_ID} characters without `..`"
        )
    text = _first(record, _TEXTS)
    if not isinstance(text, str) or not text.strip() or "\0" in text:
        raise InvalidDocumentError(f"{where}: document {name!r} has no text; give it as `text`")
    given = record.get("metadata") or {}
    if not isinstance(given, dict):
        raise InvalidDocumentError(f"{where}: metadata of document {name!r} is {given!r:.60}, not an object")
    beside = {key: value for key, value in record.items() if key not in {*_IDS, *_TEXTS, "metadata"}}
    metadata: dict[str, MetadataValue] = {"source": source, "title": str(name)}
    for key, value in {**beside, **given}.items():
        try:
            metadata |= read_metadata({key: value}, where)
        except InvalidDocumentError as error:
            warnings.append(f"{error}; it is left out")
    title = " ".join(str(record.get("title") or "").split())
    body = text.replace("\r\n", "\n").replace("\r", "\n")
    return Document(book, str(name), f"# {title}\n\n{body}\n" if title else f"{body}\n", metadata)


def _document(line: str, slug: str, source: str, where: str, warnings: list[str]) -> Document:
    try:
        record = json.loads(line)
        line.encode()
    except (ValueError, RecursionError) as error:
        raise InvalidDocumentError(f"{where}: not JSON ({error}): {line[:60]!r}") from error
    if not isinstance(record, dict):
        raise InvalidDocumentError(f"{where}: {record!r:.60} is not an object")
    document = document_of(record, slug, source, where, warnings)
    try:
        f"{document.path}{document.text}".encode()
    except UnicodeEncodeError as error:
        raise InvalidDocumentError(f"{where}: document {document.path!r:.60} has half a character") from error
    return document


def _lines(path: Path) -> Iterator[tuple[int, str]]:
    raw = read_bytes(path)
    try:
        text = unpacked(raw, path)
    except ValueError as error:
        raise LibraryError(f"{shown_name(path)} cannot be read as lines of UTF-8 ({error}); write it again") from error
    return ((number, line) for number, line in enumerate(text.split("\n"), start=1) if line.strip())


def _can_name(name: str) -> bool:
    # The names of reports are made from it.
    path = PurePosixPath(name)
    return bool(name.strip()) and name.isprintable() and len(name) <= MAX_ID and not {"..", "/"} & set(path.parts)


def _first(record: Mapping[str, Any], names: tuple[str, ...]) -> object:
    return next((record[name] for name in names if record.get(name) is not None), None)


VOCABULARY_FILE = "vocabulary.toml"
"""The file beside the books with the words of a library, in addition to the generic ones."""

RESERVED_FILES = frozenset({"book.toml", VOCABULARY_FILE})


@dataclass(frozen=True, slots=True)
class BookFolder:
    """The place of a book that is not read yet. Key: slug."""

    slug: str
    path: Path
    """The book's folder, or its file of documents."""
    library: Path
    """The book's library, out of which no link may lead."""
    digest: str
    """sha256 over the names and bytes of its markdown files, its book.toml and tables.toml, and the vocabulary; over
    the bytes of a file of documents. Unreadable files are included as unreadable."""


def list_books(library: Path) -> tuple[BookFolder, ...]:
    """List the books of a library in slug order. A file of documents is one book, and so is a library without
    sub-folders that contain markdown.

    A folder to which the system denies access is listed, because it may be a book; reading it is an error.

    Raises:
        LibraryError: no such folder or file of documents, no markdown in it, or a vocabulary or file of documents to
            which the system denies access.
    """
    if is_json_lines(library):
        digest = hashlib.sha256(read_bytes(library)).hexdigest()
        return (BookFolder(free_slug(stem_of(library), ()), library, library, digest),)
    folders = _folders(library)
    vocabulary = read_own(library / VOCABULARY_FILE, library) or ""
    books: dict[str, BookFolder] = {}
    for folder in folders:
        slug = free_slug(folder.name, books)
        books[slug] = BookFolder(slug, folder, library, _digest(folder, library, vocabulary))
    return tuple(books[slug] for slug in sorted(books))


def check_library(library: Path) -> None:
    """Check that there is something to read, without reading it.

    Raises:
        LibraryError: no such folder or file of documents, or no markdown in it.
    """
    if not is_json_lines(library):
        _folders(library)


def stray_files(library: Path) -> tuple[str, ...]:
    """Return the files beside the book folders, which belong to no book and are ignored."""
    if is_json_lines(library) or not _book_folders(library):
        return ()
    files = (path for path in _entries(library) if path.is_file() and path.name not in RESERVED_FILES)
    return tuple(shown_name(Path(path.name)) for path in files)


def refused_folders(library: Path) -> tuple[str, ...]:
    """Return the links beside the book folders that lead out of the library; their books are not read."""
    if is_json_lines(library):
        return ()
    links = (path for path in _entries(library) if not _hidden(path) and leads_out(path, library) and path.is_dir())
    return tuple(shown_name(Path(path.name)) for path in links)


def _folders(library: Path) -> list[Path]:
    if not library.is_dir():
        raise LibraryError(
            f"{library} is neither a folder nor a file of documents ({', '.join(JSON_LINES_ENDINGS)}); "
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
    # `.github` contains markdown but is not a book: as one, it would turn the chapters of a flat library into strays.
    return [
        path
        for path in _entries(library)
        if path.is_dir() and not _hidden(path) and not leads_out(path, library) and _may_be_book(path, library)
    ]


def _may_be_book(folder: Path, library: Path) -> bool:
    files = book_files(folder, library)
    return bool(files.markdown or files.unreadable) or any(is_markdown(path) for path, _ in files.refused)


def _own_markdown(library: Path) -> bool:
    return any(is_markdown(path) and not path.is_dir() and not _hidden(path) for path in _entries(library))


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
