"""The keyed tables of a library, from its chunks: what is stored once for all rows of a table."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from retrieval.query_must.conditional import Membership, membership
from retrieval.query_must.rivals.tables import KeyedRow, KeyedTable
from retrieval.types import TABLE_SUBJECT, Chunk


@dataclass(frozen=True, slots=True)
class KeyedTables:
    """The tables in the order of their ids, and where their rows are."""

    tables: tuple[KeyedTable, ...]
    positions: Mapping[Membership, int]
    """Position of the chunk of each row."""


def keyed_tables(chunks: Sequence[Chunk]) -> KeyedTables:
    """Gather the rows that carry `contain_no_rival`."""
    members: dict[str, list[tuple[int, Chunk]]] = {}
    positions: dict[Membership, int] = {}
    for position, chunk in enumerate(chunks):
        place = membership(chunk.query_must)
        if place is not None and place not in positions:
            positions[place] = position
            members.setdefault(place.table, []).append((place.row, chunk))
    return KeyedTables(tuple(_table(name, members[name]) for name in sorted(members)), positions)


def _table(name: str, rows: Sequence[tuple[int, Chunk]]) -> KeyedTable:
    first = rows[0][1]
    caption = first.caption or ""
    nearest = first.heading_path[-1:]
    about = first.metadata.get(TABLE_SUBJECT, ())
    subject = about if isinstance(about, tuple) else ()
    return KeyedTable(
        id=name,
        kind=first.signature or name,
        titles=_said((*nearest, "" if first.introduced else caption, *subject)),
        heads=_said((*first.heading_path, caption, *subject)),
        columns=_said(column for _, chunk in rows for column in chunk.columns),
        rows={number: _row(chunk) for number, chunk in sorted(rows, key=lambda row: row[0])},
    )


def _row(chunk: Chunk) -> KeyedRow:
    return KeyedRow(chunk.names, _said((*chunk.cells, str(chunk.metadata.get("row_label", "")))))


def _said(texts: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(filter(None, texts)))
