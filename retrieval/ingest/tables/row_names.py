"""What a question may call a row: its key in any order, the numbers it stands for, and the cells only it has."""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from retrieval.ingest.markdown.words import plain_text
from retrieval.ingest.tables.column_labels import column_labels
from retrieval.ingest.tables.read_row import ReadRow
from retrieval.ingest.tables.reading import Reading
from retrieval.ingest.tables.symbols import lists_symbols, symbol_names
from retrieval.ingest.tables.table import Table
from retrieval.ingest.tables.values import PERCENTILE_HUNDRED, NumberRange, is_hex, is_numeric, parse_range
from retrieval.query_must.rivals.speech import CODE
from retrieval.query_must.vocabulary.vocabulary import Vocabulary

OPEN_NAMES = 20
"""Of a key that is open at one end, so many numbers name the row: 17 to 36 for `17+`."""
HUNDRED = 100
MAX_NAME_WORDS = 8
"""A longer cell is a sentence: nobody calls a row that."""

_FOOTNOTE_MARKS = re.compile(r"[*†‡§]+")
# The comma of `1,100 tons`, or of a list of numbers, puts nothing after what it describes.
_INVERTED = re.compile(r"(?P<noun>[^,()]+)(?!(?<=[0-9]),\s*[0-9]),\s*(?P<kind>[^,()]+)")
_UNIT = re.compile(r"[^a-zA-Z]*\d\s*([a-zA-Z]{2,10})\.?\s*")
_RUN_IN = re.compile(
    r"\s*(?:[-*+]\s+)?(?:[*_]{1,3}(?P<marked>[^*\n]{2,60}?)[.:]?[*_]{1,3}[.:]?|(?P<plain>[A-Z][^.:;*_\n]{1,50}):"
    r"|(?P<code>`[^`\n]{2,60}`):)\s"
)
_LEADING_RANGE = re.compile(r"^\s*\d+\s*[-–]\s*\d+\s+(?=[^\W\d])")
_WORD = re.compile(r"[^\W\d_]{3}")
_DIGIT = re.compile(r"\d")
_PARTS = {"1/2": "half", "½": "half", "1/4": "quarter", "¼": "quarter", "3/4": "three quarter", "¾": "three quarter"}
_PART = re.compile(rf"(?P<part>{'|'.join(_PARTS)})(?P<inch>[\"″”])?[\s-]*(?P<rest>[^\W\d_].*)")
_BRACKETS = re.compile(r"\s*\([^()]*\)")
_ENDS_AT_HUNDRED = re.compile(rf"(?<!\d){PERCENTILE_HUNDRED}$")


def names_of_rows(reading: Reading, vocabulary: Vocabulary) -> Mapping[int, tuple[str, ...]]:
    """Names by row ordinal. A cell that several rows share names none of them."""
    data = [row for row in reading.rows if row.role == "data"]
    shared = [Counter(row.cells[column].casefold() for row in data) for column in range(len(reading.columns))]
    ranged = _ranged_columns(data, len(reading.columns))
    signs = [lists_symbols([row.cells[column] for row in data]) for column in range(len(reading.columns))]
    return {
        row.ordinal: tuple(
            dict.fromkeys(_names(reading, row, shared, ranged, signs, vocabulary, first=row.ordinal == data[0].ordinal))
        )
        for row in data
    }


def record_names(table: Table) -> tuple[str, ...]:
    """The names of a key/value block: its title, or the heading it is under."""
    title = table.title or (table.heading_path[-1] if table.heading_path else "")
    return tuple(dict.fromkeys(spellings(title)))


def prose_names(titles: Sequence[str], text: str) -> tuple[str, ...]:
    """The headings of a passage, and the words that its paragraphs begin with (`**Graze.** If your attack ...`)."""
    run_ins = (match for line in text.split("\n") if (match := _RUN_IN.match(line)))
    leads = (match["marked"] or match["plain"] or match["code"] for match in run_ins)
    said = [title.rstrip(" .:") for title in (*titles, *map(plain_text, leads))]
    own = (title for place, title in enumerate(said) if not _repeats(title, said[:place]))
    return tuple(dict.fromkeys(name for title in own for name in spellings(title)))


def _repeats(title: str, above: Sequence[str]) -> bool:
    """Whether a heading above says the same and more, as `Python 2.2 Release Schedule` does of `Release Schedule`."""
    words = set(title.casefold().split())
    return any(words < set(other.casefold().split()) for other in above)


def spellings(cell: str) -> Iterator[str]:
    """`Crossbow, heavy*` is also a heavy crossbow, `1/4 Turn` a quarter turn; brackets and a leading range may go."""
    plain = " ".join(_LEADING_RANGE.sub("", _FOOTNOTE_MARKS.sub("", cell)).split())
    if not plain or len(plain.split()) > MAX_NAME_WORDS:
        return
    yield plain
    bare = _BRACKETS.sub("", plain).strip()
    if bare and bare != plain:
        yield bare
    if match := _INVERTED.fullmatch(bare):
        yield f"{match['kind'].strip()} {match['noun'].strip()}"
    if match := _PART.fullmatch(bare):
        yield f"{_PARTS[match['part']]} {'inch ' if match['inch'] else ''}{match['rest']}"


def _ranged_columns(data: Sequence[ReadRow], width: int) -> frozenset[int]:
    """Columns of ranges: like a key, such a cell stands for every number in it."""
    found = set()
    for column in range(width):
        spreads = [parse_range(row.cells[column]) for row in data if row.cells[column]]
        wide = sum(spread is not None and spread.low != spread.high for spread in spreads)
        if wide >= 2 and wide >= 0.5 * len(data):
            found.add(column)
    return frozenset(found)


def _numbers(column: str, cell: str, spread: NumberRange, vocabulary: Vocabulary) -> Iterator[str]:
    labels = _labels(column, vocabulary)
    values = _first_values(spread)
    yield from (f"{label} {value}" for label in labels for value in values)
    if spread.high == HUNDRED and _ENDS_AT_HUNDRED.search(cell):
        yield from (f"{label} {PERCENTILE_HUNDRED}" for label in labels)
    if unit := _UNIT.fullmatch(cell):
        yield from (f"{value} {unit[1]}" for value in values)


def _labels(column: str, vocabulary: Vocabulary) -> Sequence[str]:
    return [label.name for label in column_labels(column, vocabulary)] or [column]


def _spread(cell: str, *, first: bool) -> NumberRange | None:
    """What a key stands for. `00` is a hundred below other rolls of percentile dice, and nothing above all others."""
    return NumberRange(0, 0) if first and cell.strip() == PERCENTILE_HUNDRED else parse_range(cell)


def _first_values(spread: NumberRange) -> Sequence[int]:
    """Every value, and of an open end those next to the bound."""
    if spread.low is not None and spread.high is None:
        return range(spread.low, spread.low + OPEN_NAMES)
    if spread.high is not None and spread.low is None:
        return range(spread.high, spread.high - OPEN_NAMES, -1)
    return spread.values


def _names(
    reading: Reading,
    row: ReadRow,
    shared: Sequence[Counter[str]],
    ranged: frozenset[int],
    signs: Sequence[bool],
    vocabulary: Vocabulary,
    *,
    first: bool,
) -> Iterator[str]:
    keys = {*range(reading.key_column, len(row.cells), reading.period), *ranged}
    for column, cell in enumerate(row.cells):
        if not cell:
            continue
        if column in keys and (spread := _spread(cell, first=first)):
            yield from _numbers(row.columns[column], cell, spread, vocabulary)
            if len(_DIGIT.findall(cell)) >= CODE:
                yield cell
            if _WORD.search(cell):
                yield from (name for name in spellings(cell) if _DIGIT.search(name))
        elif column in keys and is_hex(cell):
            yield from (f"{label} {cell}" for label in _labels(row.columns[column], vocabulary))
            yield cell
        elif column in keys or (not is_numeric(cell) and shared[column][cell.casefold()] == 1):
            yield from spellings(cell)
            yield from symbol_names(cell) if signs[column] else ()
