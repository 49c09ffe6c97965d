"""Cells that refer to other tables, and the tables that they refer to."""

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

from retrieval.ingest.losses import attempt
from retrieval.ingest.tables.key_column import ReadRow
from retrieval.ingest.tables.reading import TableMeaning
from retrieval.ingest.tables.table import Table
from retrieval.language.english import word_set

MAX_WORDS = 8

_CUE = re.compile(
    r"(?<![^\W_])(?:see(?:\s+also)?|refers?\s+to|(?:described|detailed|explained|given|listed)\s+(?:in|under|at)|as\s+(?:in|under|per)|cf\b\.?)"
    r"(?![^\W_])\s*",
    re.IGNORECASE,
)
_QUOTED = re.compile(r"[\"“‘]([^\"”’\n]{2,60})[\"”’]|(?<![^\W_])[_*]{1,3}([^_*\n]{2,60}?)[_*]{1,3}(?![^\W_])")
_NUMBERED = re.compile(r"(?:the\s+)?([Tt]able\s+(?:[A-Z]{0,2}[.-]?\d+(?:[.-]\w+)*|[IVXLC]+(?![\w])))")
_NAMED = re.compile(
    r"(?:the\s+|its\s+)?(?:table\s+)?((?:[A-Z][\w'’/-]*)(?:[ ,]+(?:of|the|and|in|to|for|with|from|[A-Z][\w'’/-]*))*)"
)
_SAID = re.compile(
    r"(?:the\s+)?([a-z][a-z'’ -]{2,40}?)\s+"
    r"(?:spell|feat|power|skill|item|creature|condition|action|ability|section|description|table|chart)s?\b"
)
_END = re.compile(r"\.(?!\d)|[;)\n]")


def references(text: str) -> Iterator[str]:
    """Yield the names that a text refers to, as written, in its order, whether or not something has such a name."""
    for cue in _CUE.finditer(text):
        after = text[cue.end() : cue.end() + 120]
        if text[max(cue.start() - 1, 0)] in "_*":  # `_See also_ "Cover"`: the emphasis ends with the cue
            after = after.lstrip("_* ")
        # The end of the sentence; a quotation that begins before it is read to its end.
        end = _END.search(after)
        clause = after[: end.start()] if end else after
        quoted = [match[1] or match[2] for match in _QUOTED.finditer(after) if match.start() < len(clause)]
        if quoted:
            yield from quoted
        elif named := _NUMBERED.match(clause) or _NAMED.match(clause):
            yield named[1]
        elif terms := _SAID.match(clause):
            yield terms[1]


def shortened(words: list[str]) -> Iterator[str]:
    """Yield a name and its beginnings, longest first, because "Charge and the ..." refers to Charge."""
    for length in range(min(len(words), MAX_WORDS), 0, -1):
        yield " ".join(words[:length])


MOST_OTHER_WORDS = 2
"""Most words of a cell beside its reference; with more, it has content of its own."""
LONGEST = 120
"""Most characters of such a cell."""

_WORD = re.compile(r"\w+")
_LETTERS = re.compile(r"[^\W\d_]{2}")
_QUOTED_CELL = re.compile(r"\s*[\"“‘](?P<words>[^\"”’“‘]{2,60})[\"”’]\s*")
_CODE = re.compile(r"[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+|[A-Z][A-Za-z0-9]*(?<=[a-z0-9])[A-Z][A-Za-z0-9]*")
"""`MAV_TYPE`, `StationType`."""
_KINDS, _BESIDE = word_set("tables"), word_set("beside_reference")
_SINGULAR = ("as", "is", "ss", "us")
"""Endings of words that are not plurals: `gas`, `status`."""
_NUMBER = re.compile(r"(?:table|tables)\s+(?P<number>(?=\w*\d|[ivxlc]+\b|\w\b)[\w]+(?:[.-]\w+)*)", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Pointer:
    """The reference in a cell."""

    names: tuple[str, ...]
    """Possible names of the table, at least one, in the form of `called`; the likeliest first."""
    is_code: bool
    """Whether the cell is an identifier without words of reference."""


def pointer_in(cell: str) -> Pointer | None:
    """Return the only reference of a cell; None if it has no reference, several, or other content."""
    cell = cell.strip()
    if len(cell) > LONGEST or not _LETTERS.search(cell):
        return None
    if _CODE.fullmatch(cell):
        return Pointer((called(cell),), is_code=True)
    if whole := _QUOTED_CELL.fullmatch(cell):
        names = tuple(_spellings(whole["words"]))
        return Pointer(names, is_code=False) if names else None
    mentioned = list(references(cell))
    if len(mentioned) != 1 or _counted(cell, mentioned[0]) or len(_others(cell, mentioned[0])) > MOST_OTHER_WORDS:
        return None
    names = tuple(_spellings(mentioned[0]))
    return Pointer(names, is_code=False) if names else None


def called(title: str) -> str:
    """Return a title for comparison: its words in lower case, the last one without a plural `s`."""
    words = _WORD.findall(title.casefold())
    if words and not words[-1].endswith(_SINGULAR):
        words[-1] = words[-1].removesuffix("s")
    return " ".join(words)


def numbered(title: str) -> tuple[str, str] | None:
    """Return `table 13` and `Stairs` for `Table 13: Stairs`; None for a title without a number."""
    match = _NUMBER.match(title.strip())
    return (f"table {match['number'].casefold()}", title.strip()[match.end() :].lstrip(" :.–—-")) if match else None


def _spellings(name: str) -> Iterator[str]:
    """Yield a reference as it is written, and without words like `table` at its ends."""
    if number := numbered(name):
        yield number[0]
        return
    words = _WORD.findall(name)
    while words and words[0].casefold() in _KINDS | _BESIDE:
        words = words[1:]
    for shorter in shortened(words):
        kept = shorter.split(" ")
        dropped = words[len(kept) :]
        if _LETTERS.search(shorter) and all(word.casefold() in _KINDS | _BESIDE for word in dropped):
            yield called(shorter)


def _counted(cell: str, name: str) -> bool:
    """Whether a number follows the name: `Message Type 4` is one of many, not the table of message types."""
    return re.search(re.escape(name) + r"\s*[#(]?\d", cell) is not None


def _others(cell: str, name: str) -> Sequence[str]:
    """Return the words of a cell that do not belong to its reference."""
    own = {*_WORD.findall(name.casefold()), *_KINDS, *_BESIDE}
    return [word for word in _WORD.findall(cell.casefold()) if _LETTERS.search(word) and word not in own]


_LAST_BRACKETS = re.compile(r"\s*[(\[][^()\[\]]*[)\]]\s*$")

_Section = tuple[str, tuple[str, ...]]


class Titles:
    """The tables of one book by name: caption, number, or a heading with no other table."""

    def __init__(self, tables: Sequence[Table]) -> None:
        """Collect the titles of all tables of a book, in reading order."""
        self._tables = tables
        under = Counter(map(_section, tables))
        by_name: dict[str, list[int]] = defaultdict(list)
        titled: dict[_Section, list[int]] = defaultdict(list)
        for position, table in enumerate(tables):
            alone = under[_section(table)] == 1
            for name in dict.fromkeys(_names(table, alone=alone)):
                by_name[name].append(position)
            if table.title:
                titled[_section(table)].append(position)
        self._by_name, self._titled = by_name, titled

    def meant(self, pointer: Pointer, position: int) -> int | None:
        """Return the table to which a pointer in the table at `position` refers; None if none or no nearest one."""
        for name in pointer.names:
            at = [other for other in self._by_name.get(name, ()) if other != position]
            if at:
                return self._nearest(at, position)
        return None if pointer.is_code else self._told(pointer, position)

    def _told(self, pointer: Pointer, position: int) -> int | None:
        """Return the only table of the same section whose title has more or fewer of the same words, at least two."""
        pointer_words = set(pointer.names[0].split())
        told = []
        for other in self._titled.get(_section(self._tables[position]), ()):
            words = set(called(self._tables[other].title or "").split())
            if (
                other != position
                and min(len(pointer_words), len(words)) > 1
                and (pointer_words <= words or words <= pointer_words)
            ):
                told.append(other)
        return told[0] if len(told) == 1 else None

    def _nearest(self, at: Sequence[int], position: int) -> int | None:
        """Return the nearest table of the document, by shared headings first, or else the only table elsewhere."""
        here = self._tables[position]
        inside = [other for other in at if self._tables[other].document == here.document]
        if not inside:
            return at[0] if len(at) == 1 else None
        return min(inside, key=lambda other: (-_shared(here, self._tables[other]), abs(other - position), -other))


def _section(table: Table) -> _Section:
    return table.document, table.heading_path


def _names(table: Table, *, alone: bool) -> Iterator[str]:
    written = [table.title, table.heading_path[-1] if alone and table.heading_path else None]
    for title in filter(None, written):
        number = numbered(title)
        if number:
            yield number[0]
        for spelling in (title, _LAST_BRACKETS.sub("", title), number[1] if number else ""):
            if name := called(spelling):
                yield name


def _shared(one: Table, other: Table) -> int:
    """Return how many headings two tables of a document have in common, from the outermost."""
    count = 0
    for left, right in zip(one.heading_path, other.heading_path, strict=False):
        if left != right:
            break
        count += 1
    return count


MOST_NAMES = 3
"""Most names of rows that refer to a table; with more, it is about none of them."""
MOST_TARGETS = 3
"""Most tables to which rows of one name refer; with more, the name describes none of them: `flags`, `type`."""
MOST_WORDS = 5
"""Most words of a row's name; a longer cell is a sentence."""

_PARENTHESES = re.compile(r"\([^()]*\)")
_MARKS = re.compile(r"(?<!\w)\d+(?!\w)|[^\w\s/'’&.:-]|_")
_THREE_LETTERS = re.compile(r"[^\W\d_]{3}")
_ANY_WORD = re.compile(r"[^\W_]+")


def referrers(tables: Sequence[Table], readings: Sequence[TableMeaning]) -> Mapping[str, tuple[str, ...]]:
    """Return the names of the rows that refer to each table, by the table's id; few tables have any.

    Args:
        tables: all of a book, in reading order.
        readings: aligned with the tables.
    """
    titles = Titles(tables)
    names_of_table: dict[str, dict[str, str]] = defaultdict(dict)
    for position, (table, reading) in enumerate(zip(tables, readings, strict=True)):
        pointed = attempt(
            partial(_pointed, titles, position, reading),
            lambda: (),
            "what the rows of a table point to",
            table.document,
            table.lines[0],
        )
        for target, name in pointed:
            names_of_table[tables[target].id].setdefault(name.casefold(), name)
    known = {table.id: _said(table) for table in tables if table.id in names_of_table}
    targets = Counter(name for names in names_of_table.values() for name in names)
    few = {
        table: [name for folded, name in names.items() if targets[folded] <= MOST_TARGETS]
        for table, names in names_of_table.items()
        if len(names) <= MOST_NAMES
    }
    new = {table: tuple(name for name in names if not _is_said(name, known[table])) for table, names in few.items()}
    return {table: names for table, names in new.items() if names}


def _said(table: Table) -> Sequence[set[str]]:
    """Return the words of a table's nearest heading, its caption and each of its columns."""
    return [_words(text) for text in (*table.heading_path[-1:], table.caption or "", *table.header)]


def _is_said(name: str, known: Sequence[set[str]]) -> bool:
    return any(_words(name) <= words for words in known)


def _words(text: str) -> set[str]:
    return set(_ANY_WORD.findall(text.casefold()))


def _pointed(titles: Titles, position: int, reading: TableMeaning) -> Sequence[tuple[int, str]]:
    """Return the positions of the tables to which the rows of one table refer, each with the name of its row."""
    data_rows = [row for row in reading.rows if row.role == "data"]
    return [pair for row in data_rows for pair in _pointed_by(titles, position, reading, row)]


def _pointed_by(titles: Titles, position: int, reading: TableMeaning, row: ReadRow) -> Iterator[tuple[int, str]]:
    for at, cell in enumerate(row.cells):
        pointer = pointer_in(cell)
        # The key of a list of tables is the name of each, not a reference to it.
        if pointer is None or (pointer.is_code and at == reading.key_column):
            continue
        target = titles.meant(pointer, position)
        if target is not None and (name := _name(reading, row, at)):
            yield target, name


def _name(reading: TableMeaning, row: ReadRow, pointing: int) -> str:
    """Return the name of a row: its key or else its first cell with words, without numbers; empty if it is long."""
    cells = [row.cells[at] for at in dict.fromkeys((reading.key_column, *range(len(row.cells)))) if at != pointing]
    name = next(
        (name for cell in cells if _THREE_LETTERS.search(name := _plain(cell)) and pointer_in(cell) is None), ""
    )
    return name if len(name.split()) <= MOST_WORDS else ""


def _plain(cell: str) -> str:
    """Return `Rate of Turn (ROT)` without the brackets, `3 (Yaw Behavior)` without the number and the marks."""
    words = (" ".join(_MARKS.sub(" ", text).split()) for text in (_PARENTHESES.sub(" ", cell), cell))
    return next(filter(_THREE_LETTERS.search, words), "").rstrip(" .:")
