"""One document through the ingest, from its text to its chunks, without a vector."""

import re
from collections.abc import Iterable, Iterator
from uuid import UUID

from retrieval.ingest.parsed_book import parse_book
from retrieval.ingest.tables.reading import read_table
from retrieval.query_must.vocabulary.vocabulary import Vocabulary
from retrieval.rag.contract import RuleDocument
from retrieval.rag.documents import Prepared, prepare
from retrieval.types import Book, Chunk

_ID = UUID("00000000-0000-5000-8000-000000000000")
_METADATA = {"source": "generated", "doc_type": "core-rules", "last_update_date": "2026-01-01"}
_WORD = re.compile(r"w\d+x")


def prepared(text: str) -> Prepared:
    """A document that is ready to be cut.

    Raises:
        InvalidDocumentError: it is refused.
    """
    return prepare(RuleDocument(_ID, "generated.md", text, _METADATA))


def chunks_of(text: str) -> tuple[Chunk, ...]:
    """The chunks of a document; it raises what `prepared` does, also where nothing of the text can be shown."""
    return prepared(text).cut(Vocabulary.default())[0]


def lost_words(text: str, chunks: Iterable[Chunk]) -> list[str]:
    """Words `w<number>x` of a source that no chunk holds: neither as it is shown or searched, nor above it."""
    held = " ".join(part for chunk in chunks for part in (chunk.text, chunk.search_text, *chunk.heading_path))
    there = set(_WORD.findall(held))
    return [word for word in _WORD.findall(text) if word not in there]


def over_nothing(text: str) -> frozenset[str]:
    """Words of headers over columns in which no row has a value: a row shows no empty cell, and so not their names."""
    document = prepared(text).document
    tables = parse_book(Book(document.book, "generated", (document,))).tables
    readings = map(read_table, tables)
    below = [(table.header, [row.cells for row in table.rows]) for table in tables]
    below += [(each.columns, [row.cells for row in each.rows if row.role != "heading"]) for each in readings]
    return frozenset(
        word for header, rows in below for column in _empty(header, rows) for word in _WORD.findall(column)
    )


def _empty(header: tuple[str, ...], rows: list[tuple[str, ...]]) -> Iterator[str]:
    for place, name in enumerate(header):
        if not any(place < len(cells) and cells[place].strip() for cells in rows):
            yield name
