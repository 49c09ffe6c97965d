"""Reading of books: a book is a folder of markdown documents, or a file of documents."""

import os
import re
import tomllib
from contextlib import suppress
from dataclasses import replace
from datetime import date
from functools import partial
from pathlib import Path

from retrieval.errors import InvalidDocumentError, LibraryError
from retrieval.ingest.document_names import is_json_lines
from retrieval.ingest.library.front_matter import read_metadata, split_front_matter
from retrieval.ingest.library.library import (
    RESERVED_FILES,
    BookFiles,
    BookFolder,
    book_files,
    cannot_be_read,
    read_bytes,
    read_json_lines,
    read_own,
    shown_name,
)
from retrieval.ingest.library.table_rules import TABLES_FILE, read_table_rules
from retrieval.ingest.losses import attempt
from retrieval.query_must.predicate import predicates_in
from retrieval.types import Book, Document, Metadata, MetadataValue

NOT_UTF_8 = "is not UTF-8; read as Latin-1 (Windows-1252)"
"""The end of the warning about a document whose encoding was guessed, so that its text may be damaged."""

UNKNOWN_DATE = "1970-01-01"
"""The last_update_date of a book that gives none; a file's time would differ between copies."""

_DATES = ("last_updated", "lastmod", "last_modified_at", "last_modified", "updated", "revision_date", "ms.date", "date")
"""Keys for the date of change in Hugo, Jekyll, MkDocs, Microsoft and others, the most explicit first."""
_DAY = re.compile(r"(?P<iso>\d{4}-\d\d-\d\d)(?!\d)|(?P<month>\d\d?)/(?P<day>\d\d?)/(?P<year>\d{4})$")


def read_book(folder: BookFolder) -> Book:
    """Read every markdown file of a book in name order, or every line of a file of documents, with its metadata.

    Files that are not text, links that are not followed, and unreadable keys of front matter are omitted with a
    warning, so that one bad file does not hide a book.

    Raises:
        LibraryError: book.toml or tables.toml cannot be read, the system denies access to a file or a folder, or no
            document is left.
    """
    if is_json_lines(folder.path):
        return read_json_lines(folder.path, folder.slug)
    files = book_files(folder.path, folder.library)
    if files.unreadable:
        raise LibraryError(
            f"book {folder.slug!r}: {'; '.join(cannot_be_read(*unreadable) for unreadable in files.unreadable)}"
        )
    given = _book_toml(folder)
    rules = read_table_rules(folder.path) if read_own(folder.path / TABLES_FILE, folder.library) is not None else ()
    defaults = _defaults(_utf_8(folder.path.name), given)
    warnings = [f"{shown_name(path.relative_to(folder.path))}: {why}" for path, why in files.refused]
    documents: list[Document | None] = []
    for path in files.markdown:
        relative = path.relative_to(folder.path).as_posix()
        try:
            read = partial(_read_document, folder.slug, path, relative, defaults, warnings)
            documents.append(attempt(read, lambda: None, "the document", relative))
        except InvalidDocumentError as error:
            warnings.append(str(error))
    readable = tuple(filter(None, documents))
    if not readable:
        raise LibraryError(f"book {folder.slug!r}: no readable document; {'; '.join(warnings)}")
    undated = sum(document.metadata["last_update_date"] == UNKNOWN_DATE for document in readable)
    if 0 < undated < len(readable):  # a book without any dates need not have them
        warnings.insert(0, f"some documents have no last_update_date: {UNKNOWN_DATE} is used")
    return Book(folder.slug, str(defaults["title"]), readable, _ignored(folder, files), tuple(warnings), rules)


def read_book_or_last(folder: BookFolder, last: Book | None = None) -> Book:
    """Read a book; if that fails, return its last reading or an empty book, with the reason as `fault`.

    An unreadable book does not stop the library.

    Args:
        last: the previous reading of this folder, if there is one.
    """
    try:
        return read_book(folder)
    except LibraryError as error:
        book = last or Book(folder.slug, shown_name(Path(folder.path.name)), ())
        return replace(book, fault=str(error))


def _ignored(folder: BookFolder, files: BookFiles) -> tuple[str, ...]:
    read = {*RESERVED_FILES, TABLES_FILE}
    others = (path.relative_to(folder.path) for path in files.ignored if path.name not in read)
    return tuple(sorted(map(shown_name, others)))


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
            f"{relative}: JSON is read as prose, so a query_must in it has no effect (line {line}; "
            f"{len(places)} in the file); write the rows as a table; {TABLES_FILE} takes a row's query_must"
        )
    metadata = {**defaults, **_last_update(front_matter), **front_matter}
    return Document(slug, relative, body, metadata, first_line)


def _last_update(front_matter: Metadata) -> Metadata:
    """Return the date under another program's key of the front matter, as `last_update_date`."""
    given = (str(front_matter[key]) for key in _DATES if key in front_matter)
    for match in filter(None, map(_DAY.match, given)):
        year, month, day = match["iso"].split("-") if match["iso"] else (match["year"], match["month"], match["day"])
        with suppress(ValueError):
            return {"last_update_date": date(int(year), int(month), int(day)).isoformat()}
    return {}


def _decode(raw: bytes, relative: str, warnings: list[str]) -> str:
    if b"\0" in raw:
        raise InvalidDocumentError(f"{relative}: holds NUL bytes, so it is not text; it is left out")
    if not raw.strip():
        warnings.append(f"{relative}: empty")
    try:
        return raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        warnings.append(f"{relative}: byte {error.start} {NOT_UTF_8}")
        return raw.decode("cp1252", errors="replace")
