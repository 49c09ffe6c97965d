"""Questions that a page offers to somebody who has asked nothing yet, of the tables of the books."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from retrieval.index.snapshot.snapshot import Snapshot
from retrieval.serve.browsing import table_title
from retrieval.types import Chunk

MAX_EXAMPLES = 4
"""Questions that a page offers of its own."""
TABLES = 80
"""Tables that starters are taken from; not each gives one."""
LONGEST_NAME, LONGEST_TITLE = 30, 50
"""Characters of a name and of a table's title."""
MANY_COLUMNS = 5
"""Columns from which on a table is as good as one with more."""


@dataclass(frozen=True)
class Starter:
    """A row of a table that questions can be made of."""

    row: Chunk
    column: str
    """That the questions are about."""
    sibling: str
    """Name of another row of the table; empty: there is none to compare with."""

    @cached_property
    def key(self) -> str:
        """Name of the row."""
        return _name_of(self.row)

    def questions(self, number: int) -> tuple[str, ...]:
        """All the ways to ask for the row, beginning with another one for each number."""
        title = table_title(self.row)
        ways = [f"What is the {self.column} of {self.key} ({title})?", f"What does {title} say about {self.key}?"]
        if self.sibling:
            ways.append(f"Compare the {self.column} of {self.key} and {self.sibling} ({title})")
        first = number % len(ways)
        return (*ways[first:], *ways[:first])


def starters(snapshot: Snapshot) -> tuple[Starter, ...]:
    """Rows all over the books, at most one of a table, those of different documents and columns first.

    They name what a reader would name, so tables of numbers, long names and empty cells give none. Of the tables of one
    document the one with more columns comes first.
    """
    tables = range(snapshot.chunk_tables.n_tables)
    numbers = tables[:: max(1, len(tables) // TABLES)]
    candidates = (_starter(snapshot, snapshot.chunk_tables.rows[number].tolist()) for number in numbers)
    wide_first = sorted(filter(None, candidates), key=lambda starter: -min(len(starter.row.columns), MANY_COLUMNS))
    return tuple(_columns_apart(_documents_apart(wide_first)))


def _documents_apart(candidates: Sequence[Starter]) -> list[Starter]:
    """The first of every document, then the second; among these the first of every book, then the second."""
    earlier: Counter[tuple[str, ...]] = Counter()
    rounds = []
    for number, starter in enumerate(candidates):
        book, document = (starter.row.book,), (starter.row.book, starter.row.document)
        rounds.append((earlier[document], earlier[book], number))
        earlier.update((book, document))
    return [candidates[number] for _, _, number in sorted(rounds)]


def _columns_apart(candidates: Sequence[Starter]) -> list[Starter]:
    """Those whose column or table no earlier one has, then the others."""
    names: set[str] = set()
    first, later = list[Starter](), list[Starter]()
    for starter in candidates:
        own = {starter.column.casefold(), f"table {table_title(starter.row)}".casefold()}
        (first if names.isdisjoint(own) else later).append(starter)
        names |= own
    return [*first, *later]


def _starter(snapshot: Snapshot, rows: Sequence[int]) -> Starter | None:
    """That of the middle row of a table; None where it has no name, or the table no column, that a question can say."""
    middle = len(rows) // 2
    row = snapshot.chunks[rows[middle]]
    columns = list(_askable_columns(row))
    if row.kind != "row" or not columns or not _is_name(_name_of(row)) or len(table_title(row)) > LONGEST_TITLE:
        return None
    sibling = _name_of(snapshot.chunks[rows[middle - 1]]) if middle else ""
    is_other = _is_name(sibling) and sibling != _name_of(row)
    return Starter(row, columns[len(columns) // 2], sibling if is_other else "")


def _askable_columns(row: Chunk) -> Iterator[str]:
    for column, cell in zip(row.columns, row.cells, strict=True):
        if cell.strip() not in ("", row.row_key) and _is_name(column):
            yield column


def _name_of(row: Chunk) -> str:
    return row.called or row.row_key or ""


def _is_name(text: str) -> bool:
    """Whether a text is short, and rather of letters than of signs and figures."""
    return 0 < len(text) <= LONGEST_NAME and 2 * sum(map(str.isalpha, text)) > len(text)
