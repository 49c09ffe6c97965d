"""Example questions, which the page offers before the first one: those that headings ask, and look-ups in tables.

A program that fills in a sentence writes "What is the required of page?", so look-ups are phrases instead.
"""

import re
import unicodedata
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from retrieval.index.snapshot.snapshot import Snapshot
from retrieval.ingest.markdown.parser import plain_text
from retrieval.ingest.tables.table import is_unnamed
from retrieval.rag.relevance import is_everywhere
from retrieval.serve.browsing import table_title
from retrieval.types import Chunk

MAX_EXAMPLES = 4
"""The most example questions on the page."""
MAX_HEADINGS = 2
"""The most of them that are headings, unless there are too few look-ups."""
TABLES, PASSAGES = 80, 400
"""The most tables and passages from which examples are made; some give none."""
LONGEST_NAME, LONGEST_TITLE, LONGEST_QUESTION = 30, 50, 80
"""The most characters of a name, of a table's title and of a heading that asks."""
_ASKING_HEADING = re.compile(
    r"^#{1,6}[ \t]+(?:(?:Q|\d+(?:\.\d+)*)[.:)]?[ \t]+)?(?P<question>\S[^\n]*\?)[ \t]*#*$", re.MULTILINE
)
_LONG_WORD = re.compile(r"[^\W\d_]{3,}")
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
        ways = [f"{self.key}: {self.column}", f"{self.key} ({title}): {self.column}"]
        if self.sibling:
            ways.append(f"{self.key} and {self.sibling}: {self.column}")
        first = number % len(ways)
        return (*ways[first:], *ways[:first])


def asking_headings(snapshot: Snapshot) -> tuple[tuple[str, Chunk], ...]:
    """Return questions that are headings of passages, each with its passage; at most one for each document.

    A question that says what it is about has at least two words that few questions contain: not `How does it work?`.
    """
    if not len(snapshot):
        return ()  # it has no kinds either
    passages = np.flatnonzero(snapshot.metadata.mask("kind", "eq", "prose"))
    questions: dict[tuple[str, str], tuple[str, Chunk]] = {}
    for position in passages[:: max(1, len(passages) // PASSAGES)].tolist():
        chunk = snapshot.chunks[position]
        for match in _ASKING_HEADING.finditer(chunk.text):
            question = plain_text(match["question"])
            if _has_subject(question) and len(question) <= LONGEST_QUESTION:
                questions.setdefault((chunk.book, chunk.document), (question, chunk))
    return tuple(questions.values())


def _has_subject(question: str) -> bool:
    return sum(not is_everywhere(word) for word in _LONG_WORD.findall(question.casefold())) > 1


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
        if cell.strip() not in ("", row.row_key) and _is_name(column) and not is_unnamed(column):
            yield column


def _name_of(row: Chunk) -> str:
    return row.called or row.row_key or ""


def _is_name(text: str) -> bool:
    """Whether a text is short, has more letters than other characters, and no picture."""
    n_letters = sum(map(str.isalpha, text))
    has_picture = any(unicodedata.category(character) == "So" for character in text)
    return n_letters > 1 and len(text) < min(2 * n_letters, LONGEST_NAME + 1) and not has_picture
