"""What a question may call a row: its key in any order, the numbers it stands for, and the cells only it has."""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from retrieval.ingest.column_labels import column_label
from retrieval.ingest.reading import Reading, ReadRow
from retrieval.ingest.values import is_numeric, parse_range
from retrieval.query_must.vocabulary import Vocabulary
from retrieval.types import Table

MAX_NAME_WORDS = 8
"""A longer cell is a sentence: nobody calls a row that."""

_FOOTNOTE_MARKS = re.compile(r"[*†‡§]+")
_INVERTED = re.compile(r"(?P<noun>[^,()]+),\s*(?P<kind>[^,()]+)")
_UNIT = re.compile(r"[^a-zA-Z]*\d\s*([a-zA-Z]{2,10})\.?\s*")
_RUN_IN = re.compile(
    r"\s*(?:[-*+]\s+)?(?:[*_]{1,3}(?P<marked>[^*_\n]{2,60}?)[.:]?[*_]{1,3}[.:]?|(?P<plain>[A-Z][^.:;*_\n]{1,50}):)\s"
)
_BRACKETS = re.compile(r"\s*\([^()]*\)")


def names_of_rows(reading: Reading, vocabulary: Vocabulary) -> Mapping[int, tuple[str, ...]]:
    """Names by row ordinal. A cell that several rows share names none of them."""
    data = [row for row in reading.rows if row.role == "data"]
    shared = [Counter(row.cells[column].casefold() for row in data) for column in range(len(reading.columns))]
    return {row.ordinal: tuple(dict.fromkeys(_names(reading, row, shared, vocabulary))) for row in data}


def record_names(table: Table) -> tuple[str, ...]:
    """The names of a key/value block: its caption, or the heading it stands under."""
    title = table.caption or (table.heading_path[-1] if table.heading_path else "")
    return tuple(dict.fromkeys(spellings(title)))


def prose_names(titles: Sequence[str], text: str) -> tuple[str, ...]:
    """The headings of a passage, and the words that its paragraphs begin with (`**Graze.** If your attack ...`)."""
    run_ins = (match for line in text.split("\n") if (match := _RUN_IN.match(line)))
    leads = (match["marked"] or match["plain"] for match in run_ins)
    return tuple(dict.fromkeys(name for title in (*titles, *leads) for name in spellings(title.rstrip(" .:"))))


def spellings(cell: str) -> Iterator[str]:
    """`Crossbow, heavy*` is also a heavy crossbow; what stands in brackets may be left out."""
    plain = " ".join(_FOOTNOTE_MARKS.sub("", cell).split())
    if not plain or len(plain.split()) > MAX_NAME_WORDS:
        return
    yield plain
    bare = _BRACKETS.sub("", plain).strip()
    if bare and bare != plain:
        yield bare
    if match := _INVERTED.fullmatch(bare):
        yield f"{match['kind'].strip()} {match['noun'].strip()}"


def _names(reading: Reading, row: ReadRow, shared: Sequence[Counter[str]], vocabulary: Vocabulary) -> Iterator[str]:
    keys = range(reading.key_column, len(row.cells), reading.period)
    for column, cell in enumerate(row.cells):
        if not cell:
            continue
        if column in keys and (spread := parse_range(cell)):
            label = column_label(row.columns[column], vocabulary)
            called = label.name if label else row.columns[column]
            yield from (f"{called} {value}" for value in spread.values)
            if unit := _UNIT.fullmatch(cell):
                yield from (f"{value} {unit[1]}" for value in spread.values)
        elif column in keys or (not is_numeric(cell) and shared[column][cell.casefold()] == 1):
            yield from spellings(cell)
