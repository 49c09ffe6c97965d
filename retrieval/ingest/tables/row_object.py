"""A table row as a JSON object, with its names and its search text."""

import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import PurePosixPath

from retrieval.ingest.markdown.parser import plain_text
from retrieval.ingest.tables.column_names import ColumnNames, column_labels
from retrieval.ingest.tables.header import lists_symbols, symbol_names
from retrieval.ingest.tables.key_column import ReadRow, keys_are_in_groups, with_first_cells
from retrieval.ingest.tables.reading import Axis, TableMeaning
from retrieval.ingest.tables.table import Table, is_unnamed
from retrieval.language.numbers.cells import NumberRange, is_hex, is_numeric, parse_range, typed
from retrieval.language.numbers.numerals import PERCENTILE_HUNDRED
from retrieval.language.vocabulary import Vocabulary
from retrieval.query_must.sibling_mentions import CODE

Json = dict[str, "JsonValue"]
JsonValue = str | int | float | bool | None | list["JsonValue"] | Json

RESERVED = ("title", "description", "query_must")
MAX_LABEL_WORDS = 5
"""Most words of a heading that can be said before a number; a longer one is a sentence."""

_BRACKETS = re.compile(r"\s*\([^()]*\)")
_WORD = re.compile(r"[^\W\d_]{3}")
_ROMAN = re.compile(r"[IVX]+")
_ANY_WORD = re.compile(r"\w+")


def subject(table: Table) -> str:
    """Return the table's title, or the nearest heading, or the name of its file."""
    return table.title or (table.heading_path[-1] if table.heading_path else PurePosixPath(table.document).stem)


def row_key(reading: TableMeaning, row: ReadRow) -> str:
    """Return the cell that identifies a row, or the next one if it is blank; the only cell of a label or a note."""
    key = row.cells[reading.key_column] if row.role == "data" else ""
    return key or next(cell for cell in (*row.cells[reading.key_column :], *row.cells) if cell)


def called(column: str, key: str) -> str:
    """Return the spoken name of a key: `Armor Class 6` for `6`, but `Longsword` and `Level 3` unchanged.

    Args:
        column: the key's heading, without abbreviations.
        key: the cell that identifies the row.
    """
    key = key.rstrip(": ")
    label = _BRACKETS.sub("", column).strip()
    if not _is_bare(key) or is_unnamed(column) or not label or len(label.split()) > MAX_LABEL_WORDS:
        return key
    # `Level 3` and `3rd level` contain their label.
    return key if label.split()[-1].casefold() in key.casefold() else f"{label} {key}"


def _is_bare(key: str) -> bool:
    """Whether a key is a number, a range or a code, which needs a label, unlike words."""
    code = any(map(str.isdigit, key)) and not _WORD.search(key)
    return code or is_numeric(key) or parse_range(key) is not None or bool(_ROMAN.fullmatch(key))


def grid_object(table: Table, reading: TableMeaning, row: ReadRow, name: str, columns: ColumnNames) -> Json:
    """Return title, description and values of a row, with typed numbers, expanded range headings, and pairs together.

    Args:
        columns: expands abbreviations in the headings.
    """
    values: Json
    names = columns.all_written_out(row.columns)
    if row.columns == reading.columns and reading.axis:
        values = _with_axis(names, row.cells, reading.axis, columns.written_out(reading.axis.name))
    else:
        values = _pairs(zip(names, row.cells, strict=True))
    title = f"{subject(table)} - {name}" if name else subject(table)
    notes = table.rows[row.ordinal].notes
    return {"title": title, "description": _description(table, row.label)} | values | _with_notes(values, notes)


def record_object(table: Table, pairs: Sequence[tuple[str, str]], notes: Sequence[str], columns: ColumnNames) -> Json:
    """Return a key/value block as one object, with the pair in its header first."""
    named = list(map(name_first, pairs))
    names = columns.all_written_out([name for name, _ in named])
    values = _pairs(zip(names, (cell for _, cell in named), strict=True))
    return {"title": subject(table), "description": _description(table)} | values | _with_notes(values, notes)


def _description(table: Table, label: str | None = None) -> str:
    """Return the table's purpose, if known, the row's label, and the heading to which the table belongs.

    That is the nearest heading with a word that the title lacks: a row's text is short, and its chunk has the whole
    path.
    """
    title = _words(subject(table))
    above = next((heading for heading in reversed(table.heading_path) if _words(heading) - title), table.document)
    parts = [table.purpose, f"Under {label}" if label else "", f"From {above}"]
    return " ".join(part if part.endswith((".", "!", "?", "。", "！", "？")) else f"{part}." for part in parts if part)


def _words(text: str) -> set[str]:
    return set(_ANY_WORD.findall(text.casefold()))


def name_first(pair: tuple[str, str]) -> tuple[str, str]:
    """Return a line of a record as name and value; if only the first cell is filled, it is a value without a name."""
    return pair if pair[1].strip() else ("", pair[0])


def to_text(content: Json) -> str:
    """Return JSON in the form that is stored and shown: indented, with non-ASCII letters."""
    return json.dumps(content, ensure_ascii=False, indent=1)


def _pairs(pairs: Iterable[tuple[str, str]]) -> Json:
    values: Json = {}
    for name, cell in pairs:
        if cell.strip():
            values[_free_key(name.rstrip(": "), values)] = typed(cell)
    return values


def _with_notes(values: Json, notes: Sequence[str]) -> Json:
    several: list[JsonValue] = list(notes)
    return {_free_key("notes", values): notes[0] if len(notes) == 1 else several} if notes else {}


def _free_key(name: str, taken: Json) -> str:
    base = f"{name} value".strip() if name in RESERVED or not name else name
    key, count = base, 1
    while key in taken:
        count += 1
        key = f"{base} ({count})"
    return key


def _with_axis(columns: Sequence[str], cells: Sequence[str], axis: Axis, name: str) -> Json:
    on_axis = dict(zip(axis.columns, axis.places, strict=True))
    name = name or "by column"
    values = _pairs((columns[i], cells[i]) for i in range(len(columns)) if i not in on_axis)
    places: Json = {}
    for index, axis_value in on_axis.items():
        if cells[index].strip():
            for step in _steps(axis_value):
                places[_free_key(step, places)] = typed(cells[index])
    return values | {_free_key(name, values): places}


def _steps(axis_value: str) -> Sequence[str]:
    # The zero in runway `03` is part of its name.
    parsed = None if axis_value.isdecimal() else parse_range(axis_value)
    return tuple(map(str, parsed.values)) if parsed and parsed.values else (axis_value,)


OPEN_NAMES = 20
"""How many numbers name a row whose key is open at one end: 17 to 36 for `17+`."""
HUNDRED = 100
MAX_MEMBER_WORDS = 4
"""Most words of a list's member; a longer one is a sentence or part of one."""
MAX_NAME_WORDS = 8
"""Most words of a name; a longer cell is a sentence."""

_FOOTNOTE_MARKS = re.compile(r"[*†‡§]+")
# The comma in `1,100 tons`, or in a list of numbers, does not invert a name.
_INVERTED = re.compile(r"(?P<noun>[^,()]+)(?!(?<=[0-9]),\s*[0-9]),\s*(?P<kind>[^,()]+)")
_ALTERNATIVES, _LISTED = re.compile(r"\s+/\s+"), re.compile(r"\s*,\s*")
_NO_LIST = re.compile(r"[\"'`|=\[\]{}]")
"""Characters of a formula, a call or a value in a cell."""
_UNIT = re.compile(r"[^a-zA-Z]*\d\s*([a-zA-Z]{2,10})\.?\s*")
_RUN_IN = re.compile(
    r"\s*(?:[-*+]\s+)?(?:[*_]{1,3}(?P<marked>[^*\n]{2,60}?)[.:]?[*_]{1,3}[.:]?|(?P<plain>[A-Z][^.:;*_\n]{1,50}):"
    r"|(?P<code>`[^`\n]{2,60}`):)\s"
)
_LEADING_RANGE = re.compile(r"^\s*\d+\s*[-–]\s*\d+\s+(?=[^\W\d])")
_DIGIT = re.compile(r"\d")
_PARTS = {"1/2": "half", "½": "half", "1/4": "quarter", "¼": "quarter", "3/4": "three quarter", "¾": "three quarter"}
_PART = re.compile(rf"(?P<part>{'|'.join(_PARTS)})(?P<inch>[\"″”])?[\s-]*(?P<rest>[^\W\d_].*)")
_ENDS_AT_HUNDRED = re.compile(rf"(?<!\d){PERCENTILE_HUNDRED}$")


def names_of_rows(reading: TableMeaning, vocabulary: Vocabulary) -> Mapping[int, tuple[str, ...]]:
    """Return names by row ordinal. A cell that several rows share names none of them unless it is part of the key."""
    data_rows = with_first_cells(reading.rows)
    in_groups = keys_are_in_groups(reading.rows, reading.key_column)
    shared = [Counter(row.cells[column].casefold() for row in data_rows) for column in range(len(reading.columns))]
    members = _unique_members({row.ordinal: row.cells[reading.key_column] for row in data_rows})
    ranged = _ranged_columns(data_rows, len(reading.columns))
    signs = [lists_symbols([row.cells[column] for row in data_rows]) for column in range(len(reading.columns))]
    return {
        row.ordinal: tuple(
            dict.fromkeys(
                (
                    *_names(
                        row,
                        _keys(row, reading.key_column, shared, in_groups=in_groups) | ranged,
                        shared,
                        signs,
                        vocabulary,
                        first=row.ordinal == data_rows[0].ordinal,
                    ),
                    *(name for member in members[row.ordinal] for name in spellings(member)),
                )
            )
        )
        for row in data_rows
    }


def record_names(table: Table) -> tuple[str, ...]:
    """Return the names of a key/value block, from its title or the heading above it."""
    title = table.title or (table.heading_path[-1] if table.heading_path else "")
    return tuple(dict.fromkeys(spellings(title)))


def prose_names(titles: Sequence[str], text: str) -> tuple[str, ...]:
    """Return the headings of a passage, and the words before its paragraphs (`**Graze.** If your attack ...`)."""
    run_ins = (match for line in text.split("\n") if (match := _RUN_IN.match(line)))
    leads = (match["marked"] or match["plain"] or match["code"] for match in run_ins)
    plain_titles = [title.rstrip(" .:") for title in (*titles, *map(plain_text, leads))]
    own = (title for position, title in enumerate(plain_titles) if not _repeats(title, plain_titles[:position]))
    return tuple(dict.fromkeys(name for title in own for name in spellings(title)))


def _repeats(title: str, above: Sequence[str]) -> bool:
    """Whether a heading above has the same words and more: `Python 2.2 Release Schedule` for `Release Schedule`."""
    words = set(title.casefold().split())
    return any(words < set(other.casefold().split()) for other in above)


def spellings(cell: str) -> Iterator[str]:
    """Yield spellings of a name: `Crossbow, heavy*` is also a heavy crossbow, `1/4 Turn` a quarter turn.

    Footnote marks and a leading range are removed; brackets may be.
    """
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


def list_members(cell: str) -> tuple[str, ...]:
    """Return the members of a list: `A`, `B C` for `A / B C`, `--help`, `-h` for `--help, -h`; none of `Sword, broad`.

    Commas separate members only if each begins with a code or with a word in capitals.
    """
    plain = _BRACKETS.sub("", cell).strip()
    members = _ALTERNATIVES.split(plain)
    if len(members) == 1:
        members = _LISTED.split(plain)
        if not all(map(_is_code, members)):
            return ()
    named = all(any(map(str.isalpha, member)) and len(member.split()) <= MAX_MEMBER_WORDS for member in members)
    return tuple(members) if len(members) > 1 and named and not _NO_LIST.search(plain) else ()


def _unique_members(keys: Mapping[int, str]) -> Mapping[int, tuple[str, ...]]:
    """Return the members of each key that is a list, without those that other keys have."""
    count = Counter(member.casefold() for key in keys.values() for member in list_members(key) or (key,))
    return {
        ordinal: tuple(member for member in list_members(key) if count[member.casefold()] == 1)
        for ordinal, key in keys.items()
    }


def _is_code(member: str) -> bool:
    first = member.partition(" ")[0].rstrip(".:;")
    return first.isupper() or any(not letter.isalpha() for letter in first)


def _ranged_columns(data_rows: Sequence[ReadRow], width: int) -> frozenset[int]:
    """Return the columns of ranges, whose cells mean every number in the range, as a key does."""
    columns = set()
    for column in range(width):
        spreads = [parse_range(row.cells[column]) for row in data_rows if row.cells[column]]
        wide = sum(spread is not None and spread.low != spread.high for spread in spreads)
        if wide >= 2 and wide >= 0.5 * len(data_rows):
            columns.add(column)
    return frozenset(columns)


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
    """Return the numbers of a key. `00` is 100 after other rolls of percentile dice, but 0 in the first row."""
    return NumberRange(0, 0) if first and cell.strip() == PERCENTILE_HUNDRED else parse_range(cell)


def _first_values(spread: NumberRange) -> Sequence[int]:
    """Return every value of a range; for an open range, those next to its bound."""
    if spread.low is not None and spread.high is None:
        return range(spread.low, spread.low + OPEN_NAMES)
    if spread.high is not None and spread.low is None:
        return range(spread.high, spread.high - OPEN_NAMES, -1)
    return spread.values


def _keys(row: ReadRow, key: int, shared: Sequence[Counter[str]], *, in_groups: bool) -> frozenset[int]:
    """Return the columns whose cells identify a row."""
    is_shared = in_groups or shared[key][row.cells[key].casefold()] > 1
    return frozenset(range(key + 1) if is_shared else (key,))


def _names(
    row: ReadRow,
    keys: frozenset[int],
    shared: Sequence[Counter[str]],
    signs: Sequence[bool],
    vocabulary: Vocabulary,
    *,
    first: bool,
) -> Iterator[str]:
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


_SEARCH_WORD = re.compile(r"[^\W\d_]+")


def row_search_text(
    table: Table,
    columns: Sequence[str],
    cells: Sequence[str],
    label: str | None,
    notes: Sequence[str] = (),
    names: Sequence[str] = (),
    searched_as: Sequence[str] = (),
) -> str:
    """Return headings, caption, words about the table, its subject, other search terms, label, pairs and notes.

    A pair is `column: cell`. Adjacent columns with a common beginning have it once. Names that no cell has come last.
    """
    headings, search_words = " > ".join(table.heading_path), (*_subject(table), *searched_as, label or "")
    context = [headings, table.caption or "", table.about, *search_words]
    pairs, previous = [], ""
    for column, cell in zip(columns, cells, strict=True):
        if cell:
            shared = _shared_words(previous, column)
            pairs.append(f"{column[shared:].strip() or column}: {cell}")
            previous = column
    return "\n".join(part for part in [*context, "; ".join(pairs), *notes, *other_names(names, cells)] if part)


def other_names(names: Sequence[str], cells: Sequence[str]) -> tuple[str, ...]:
    """Return the names of a row, without numbers, with a word that no cell has: a short form, a nickname."""
    words = {word for cell in cells for word in _SEARCH_WORD.findall(cell.casefold())}
    return tuple(
        name
        for name in names
        if not _DIGIT.search(name) and not words.issuperset(_SEARCH_WORD.findall(name.casefold()))
    )


def _subject(table: Table) -> Sequence[str]:
    return table.rule.subject if table.rule else ()


def _shared_words(previous: str, column: str) -> int:
    """Return the length of the words that `column` repeats from the column before it."""
    if not previous:
        return 0
    before, now = previous.split(" "), column.split(" ")
    count = 0
    while count < min(len(before), len(now)) - 1 and before[count] == now[count]:
        count += 1
    return len(" ".join(now[:count]))
