"""The keyed tables of a library, built from its chunks: data stored once for all rows of a table."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from retrieval.index.words.figure_index import cell_figures, column_of, key_cell
from retrieval.language.english import word_set
from retrieval.language.numbers.cells import is_numeric
from retrieval.language.numbers.columns import closed_ladder
from retrieval.query_must.operators import Membership, membership
from retrieval.query_must.sibling_mentions import AmountInterval, row_amounts
from retrieval.query_must.siblings import KeyedRow, KeyedTable
from retrieval.types import TABLE_SUBJECT, Chunk

_MOST_WORDS = 4
"""Most words of a cell that may be a second key."""
_STEPS = 2
"""Rows with an interval from which a column beside the key counts as one of steps."""


@dataclass(frozen=True, slots=True)
class KeyedTables:
    """The tables in the order of their ids, and the positions of their rows."""

    tables: tuple[KeyedTable, ...]
    positions: Mapping[Membership, int]
    """Position of the chunk of each row."""


def keyed_tables(chunks: Sequence[Chunk]) -> KeyedTables:
    """Gather the rows that carry `contain_no_rival`."""
    members: dict[str, list[tuple[int, Chunk]]] = {}
    positions: dict[Membership, int] = {}
    for position, chunk in enumerate(chunks):
        index = membership(chunk.query_must)
        if index is not None and index not in positions:
            positions[index] = position
            members.setdefault(index.table, []).append((index.row, chunk))
    return KeyedTables(tuple(_table(name, members[name]) for name in sorted(members)), positions)


def _table(name: str, rows: Sequence[tuple[int, Chunk]]) -> KeyedTable:
    rows = sorted(rows, key=lambda row: row[0])
    amounts, shared = _amounts([chunk for _, chunk in rows]), _shared([chunk for _, chunk in rows])
    first = rows[0][1]
    caption = first.caption or ""
    nearest = first.heading_path[-1:]
    about = first.metadata.get(TABLE_SUBJECT, ())
    subject = about if isinstance(about, tuple) else ()
    titles = _distinct((*nearest, "" if first.introduced else caption, *subject))
    return KeyedTable(
        id=name,
        kind=first.signature or name,
        titles=titles,
        heads=_distinct((*first.heading_path, caption, *subject)),
        columns=_distinct(column for _, chunk in rows for column in chunk.columns),
        rows={number: _row(chunk, titles, shared, held) for (number, chunk), held in zip(rows, amounts, strict=True)},
    )


def _row(
    chunk: Chunk, titles: Sequence[str], shared: frozenset[tuple[int, str]], amounts: tuple[AmountInterval, ...]
) -> KeyedRow:
    key = _bare_key(chunk)
    names = _distinct((*chunk.names, *_labelled(key, chunk, titles)))
    also = (cell for position, cell in enumerate(chunk.cells) if (position, cell) in shared)
    return KeyedRow(
        names, _distinct((*chunk.cells, str(chunk.metadata.get("row_label", "")))), _distinct((*also, key)), amounts
    )


_LABEL = re.compile(r"[^\W\d_]{2,}")
_NO_LABELS = word_set("of_any_question")
_AROUND_KEY = " .#*"


def _bare_key(chunk: Chunk) -> str:
    """Return the key of a row if it is a whole number or a letter, which alone may be anything; empty if it is not."""
    number = key_cell(chunk)
    key = chunk.cells[number].strip(_AROUND_KEY) if number >= 0 else ""
    is_letter = len(key) == 1 and key.isalpha() and key.casefold() not in _NO_LABELS
    return key if key.isdecimal() or is_letter else ""


def _labelled(key: str, chunk: Chunk, titles: Sequence[str]) -> Iterator[str]:
    """Yield a bare key after each word of its column and of the table's titles: `step 2`, `band B`."""
    if key:
        for label in _LABEL.findall(" ".join((column_of(chunk, key_cell(chunk)), *titles))):
            if label.casefold() not in _NO_LABELS:
                yield f"{label} {key}"


def _shared(rows: Sequence[Chunk]) -> frozenset[tuple[int, str]]:
    """Return short cells, with their columns, that several but not all rows of a table have."""
    counts = Counter(pair for row in rows for pair in enumerate(row.cells))
    return frozenset(
        (position, cell)
        for (position, cell), count in counts.items()
        if 1 < count < len(rows) and cell and len(cell.split()) <= _MOST_WORDS and not is_numeric(cell)
    )


def _amounts(rows: Sequence[Chunk]) -> Sequence[tuple[AmountInterval, ...]]:
    """Return the amounts that each row of a table is for: those in its key, and in any other column of steps."""
    of_rows: list[list[AmountInterval]] = [[] for _ in rows]
    figures = [tuple(cell_figures(row)) for row in rows]
    for number in range(min(map(len, figures))):
        column = closed_ladder([of_row[number] for of_row in figures])
        steps = sum(figure is not None and figure.kind in ("range", "open") for figure in column)
        for row, amounts, figure in zip(rows, of_rows, column, strict=True):
            is_step = number == key_cell(row) or steps >= _STEPS
            if figure is not None and is_step:
                amounts.extend(row_amounts(figure, column_of(row, number)))
    return [tuple(amounts) for amounts in of_rows]


def _distinct(texts: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(filter(None, texts)))
