"""Example questions about the tables of the books, which the page offers before the first question."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from retrieval.index.snapshot.snapshot import Snapshot
from retrieval.serve.browsing import table_title
from retrieval.types import Chunk

MAX_EXAMPLES = 4
"""The most example questions on the page."""
TABLES = 80
"""The most tables from which starters are made; some give none."""
LONGEST_NAME, LONGEST_TITLE = 30, 50
"""The most characters of a name and of a table's title."""
MANY_COLUMNS = 5
"""Tables with at least this many columns rank equally."""


@dataclass(frozen=True)
class Starter:
    """A row of a table from which questions can be made."""

    row: Chunk
    column: str
    """The column that the questions ask for."""
    sibling: str
    """Name of another row of the table; empty: there is none for a comparison."""

    @cached_property
    def key(self) -> str:
        """Name of the row."""
        return _name_of(self.row)

    def questions(self, number: int) -> tuple[str, ...]:
        """Return all questions for the row, beginning with a different one for each number."""
        title = table_title(self.row)
        ways = [f"What is the {self.column} of {self.key} ({title})?", f"What does {title} say about {self.key}?"]
        if self.sibling:
            ways.append(f"Compare the {self.column} of {self.key} and {self.sibling} ({title})")
        first = number % len(ways)
        return (*ways[first:], *ways[:first])


def starters(snapshot: Snapshot) -> tuple[Starter, ...]:
    """Return rows from all books, at most one per table, those of different documents and columns first.

    Their names are ones that a reader would use, so tables of numbers, long names or empty cells give none. Of the
    tables of one document, one with more columns comes first.
    """
    tables = range(snapshot.chunk_tables.n_tables)
    numbers = tables[:: max(1, len(tables) // TABLES)]
    candidates = (_starter(snapshot, snapshot.chunk_tables.rows[number].tolist()) for number in numbers)
    wide_first = sorted(filter(None, candidates), key=lambda starter: -min(len(starter.row.columns), MANY_COLUMNS))
    return tuple(_columns_apart(_documents_apart(wide_first)))


def _documents_apart(candidates: Sequence[Starter]) -> list[Starter]:
    """Return the first starter of every document, then the second; within these, the first of every book, then the
    second."""
    earlier: Counter[tuple[str, ...]] = Counter()
    rounds = []
    for number, starter in enumerate(candidates):
        book, document = (starter.row.book,), (starter.row.book, starter.row.document)
        rounds.append((earlier[document], earlier[book], number))
        earlier.update((book, document))
    return [candidates[number] for _, _, number in sorted(rounds)]


def _columns_apart(candidates: Sequence[Starter]) -> list[Starter]:
    """Return the starters with a column and table that no earlier one has, then the others."""
    names: set[str] = set()
    first, later = list[Starter](), list[Starter]()
    for starter in candidates:
        own = {starter.column.casefold(), f"table {table_title(starter.row)}".casefold()}
        (first if names.isdisjoint(own) else later).append(starter)
        names |= own
    return [*first, *later]


def _starter(snapshot: Snapshot, rows: Sequence[int]) -> Starter | None:
    """Return the starter of a table's middle row; None if the row has no name, or the table no column, that a question
    can contain."""
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
    """Whether a text is short, and has more letters than other characters."""
    return 0 < len(text) <= LONGEST_NAME and 2 * sum(map(str.isalpha, text)) > len(text)
