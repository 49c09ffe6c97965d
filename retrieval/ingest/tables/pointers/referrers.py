"""What the rows are called that send their reader to a table: `Report Interval` for "Station Intervals"."""

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from functools import partial

from retrieval.ingest.losses import attempt
from retrieval.ingest.tables.pointers.cells import pointer_in
from retrieval.ingest.tables.pointers.titles import Titles
from retrieval.ingest.tables.read_row import ReadRow
from retrieval.ingest.tables.reading import Reading
from retrieval.ingest.tables.table import Table

MOST_NAMES = 3
"""A table that rows of more names point to is about none of them."""
MOST_TARGETS = 3
"""A name whose rows point to more tables says nothing of any of them: `flags`, `type`."""
MOST_WORDS = 5
"""Words of a row's name; a longer cell is a sentence."""

_PARENTHESES = re.compile(r"\([^()]*\)")
_MARKS = re.compile(r"(?<!\w)\d+(?!\w)|[^\w\s/'’&.:-]|_")
_THREE_LETTERS = re.compile(r"[^\W\d_]{3}")
_ANY_WORD = re.compile(r"[^\W_]+")


def referrers(tables: Sequence[Table], readings: Sequence[Reading]) -> Mapping[str, tuple[str, ...]]:
    """Names of the rows that point to each table, by the table's id; few tables have any.

    Args:
        tables: all of a book, in reading order.
        readings: aligned.
    """
    titles = Titles(tables)
    found: dict[str, dict[str, str]] = defaultdict(dict)
    for place, (table, reading) in enumerate(zip(tables, readings, strict=True)):
        pointed = attempt(
            partial(_pointed, titles, place, reading),
            lambda: (),
            "what the rows of a table point to",
            table.document,
            table.lines[0],
        )
        for target, name in pointed:
            found[tables[target].id].setdefault(name.casefold(), name)
    known = {table.id: _said(table) for table in tables if table.id in found}
    targets = Counter(name for names in found.values() for name in names)
    few = {
        table: [name for folded, name in names.items() if targets[folded] <= MOST_TARGETS]
        for table, names in found.items()
        if len(names) <= MOST_NAMES
    }
    new = {table: tuple(name for name in names if not _is_said(name, known[table])) for table, names in few.items()}
    return {table: names for table, names in new.items() if names}


def _said(table: Table) -> Sequence[set[str]]:
    """The words of what is nearest to a table's rows: its heading, its caption, each of its columns."""
    return [_words(text) for text in (*table.heading_path[-1:], table.caption or "", *table.header)]


def _is_said(name: str, known: Sequence[set[str]]) -> bool:
    return any(_words(name) <= words for words in known)


def _words(text: str) -> set[str]:
    return set(_ANY_WORD.findall(text.casefold()))


def _pointed(titles: Titles, place: int, reading: Reading) -> Sequence[tuple[int, str]]:
    """The places of the tables that the rows of one table point to, each with the name of its row."""
    data = [row for row in reading.rows if row.role == "data"]
    return [pair for row in data for pair in _pointed_by(titles, place, reading, row)]


def _pointed_by(titles: Titles, place: int, reading: Reading, row: ReadRow) -> Iterator[tuple[int, str]]:
    for at, cell in enumerate(row.cells):
        pointer = pointer_in(cell)
        # The key of a list of tables is the name of each, and points to it without a word.
        if pointer is None or (pointer.is_code and at == reading.key_column):
            continue
        target = titles.meant(pointer, place)
        if target is not None and (name := _name(reading, row, at)):
            yield target, name


def _name(reading: Reading, row: ReadRow, pointing: int) -> str:
    """What the row is called: its key, or else its first cell of words, if those are few; without numbers."""
    cells = [row.cells[at] for at in dict.fromkeys((reading.key_column, *range(len(row.cells)))) if at != pointing]
    name = next(
        (name for cell in cells if _THREE_LETTERS.search(name := _plain(cell)) and pointer_in(cell) is None), ""
    )
    return name if len(name.split()) <= MOST_WORDS else ""


def _plain(cell: str) -> str:
    """`Rate of Turn (ROT)` without its brackets, `3 (Yaw Behavior)` without its number and its mark."""
    words = (" ".join(_MARKS.sub(" ", text).split()) for text in (_PARENTHESES.sub(" ", cell), cell))
    return next(filter(_THREE_LETTERS.search, words), "").rstrip(" .:")
