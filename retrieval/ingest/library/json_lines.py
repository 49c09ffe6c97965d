"""A book whose documents are the lines of one file, each with its metadata: `.jsonl` or `.jsonl.gz`.

One JSON object a line::

    {"id": "T-17", "title": "Login fails", "text": "...", "metadata": {"status": "open", "created": "2026-03-14"}}

`id` may also be called `doc_id` or `document_id`, `text` also `content` or `body`. Keys beside these are metadata too.
"""

import json
from collections.abc import Iterator, Mapping
from pathlib import Path, PurePosixPath
from typing import Any

from retrieval.errors import InvalidDocumentError, LibraryError
from retrieval.ingest.library.book_files import read_bytes, shown_name
from retrieval.ingest.library.front_matter import read_metadata
from retrieval.packed_text import unpacked
from retrieval.types import Book, Document, MetadataValue

ENDINGS = (".jsonl", ".jsonl.gz")
MAX_ID = 200
"""Characters."""
_IDS, _TEXTS = ("id", "doc_id", "document_id"), ("text", "content", "body")


def is_json_lines(path: Path) -> bool:
    """Whether a path is a file of such documents, by its name."""
    return path.name.endswith(ENDINGS) and path.is_file()


def stem_of(path: Path) -> str:
    """The file's name without its ending."""
    return next(
        (path.name.removesuffix(ending) for ending in reversed(ENDINGS) if path.name.endswith(ending)), path.name
    )


def read_json_lines(path: Path, slug: str) -> Book:
    """Every document of a file, in the order of its lines.

    A line that is no document, and one whose id an earlier line has, are left out with a warning; so is a metadata key
    that no index can store.

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
    """A document of one record.

    Args:
        record: as the line has it.
        book: slug of the book.
        source: where documents come from that do not say it.
        where: place of the record, for messages.
        warnings: gets a sentence for each metadata key that is left out.

    Raises:
        InvalidDocumentError: there is no id or no text, or the metadata is no object.
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
    # Reports are written to files that are named so.
    path = PurePosixPath(name)
    return bool(name.strip()) and name.isprintable() and len(name) <= MAX_ID and not {"..", "/"} & set(path.parts)


def _first(record: Mapping[str, Any], names: tuple[str, ...]) -> object:
    return next((record[name] for name in names if record.get(name) is not None), None)
