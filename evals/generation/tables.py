"""Look-up questions about a table: the choice of rows, of words or numbers for them, and of columns."""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from evals.generation.names import TableName
from evals.generation.phrasing import (
    ABOUT,
    ABOUT_ALONE,
    BY_OTHER,
    BY_OTHER_ALONE,
    FIELD_LOOKUPS,
    LOOKUPS,
    RECORD_LOOKUPS,
    ROW,
    WHICH,
    WHICH_ALONE,
    NumberKey,
    Phrasing,
    asked_as,
    column_forms,
    column_name,
    is_dice,
    number_key,
    plain,
    unbracketed,
    words_of,
)
from evals.questions.gold import folded
from retrieval.types import Chunk

_LONGEST_KEY, _LONGEST_ANSWER = 60, 80
_SHORTEST_OTHER, _LONGEST_OTHER = 3, 30
_MOST_KEY_WORDS = 7
"""Most words of a key; a longer one is a sentence, which questions do not repeat."""
_WIDEST_RANGE = 200
_INVENTED = re.compile(r"column \d+", re.IGNORECASE)
"""Names of columns without a heading, for which nobody would ask."""
_HOLLOW = re.compile(r"(empty|unused|not used|n/?a|reserved\b.*)\W*", re.IGNORECASE)
"""Cells without content."""
_COMMON = re.compile(r"(varies|special|none|yes|no|default|user defined|see\b.*)\W*", re.IGNORECASE)
"""Cells that may be an answer, but do not identify a row."""
_NUMBERED = re.compile(r"(\d{1,4}) \(([^()]+)\)")
_TELLING_DIGITS = 3

Named = tuple[str, tuple[str, ...]]
"""A column, and the forms of a row's cell in it."""


class AskedTable:
    """The rows of one table, or its record, with the words that identify each."""

    def __init__(self, rows: Sequence[Chunk]) -> None:
        self.rows = tuple(rows)
        self._same_key = Counter(folded(row.row_key or "") for row in self.rows)
        self._key_words = {row.id: words_of([row.row_key or ""]) for row in self.rows}
        self._cells = Counter(pair for row in self.rows for pair in {*_folded_cells(row)})
        self._keyed_cells = Counter((row.row_key, *pair) for row in self.rows for pair in {*_folded_cells(row)})
        self.number_keys = {row.id: key for row in self.rows if (key := number_key(row.row_key or ""))}
        self._covering: Counter[int] = Counter()
        for key in self.number_keys.values():
            self._covering.update(_span(key))

    @property
    def ids(self) -> frozenset[str]:
        """Ids of its rows."""
        return frozenset(row.id for row in self.rows)

    def distinct(self) -> list[Chunk]:
        """Return the rows that a key or another cell identifies, and that have something to ask for."""
        return [row for row in self.rows if self.columns(row) and (self.by_key(row) or self.others(row))]

    def by_key(self, row: Chunk) -> bool:
        """Whether the key, or a number that it means, is unique to this row, and is not a sentence."""
        return bool(
            row.row_key
            and len(row.row_key) <= _LONGEST_KEY
            and len(row.row_key.split()) <= _MOST_KEY_WORDS
            and self._same_key[folded(row.row_key)] == 1
            and (row.id not in self.number_keys or row.kind == "record" or self.numbers(row))
        )

    def numbers(self, row: Chunk) -> list[int]:
        """Return the numbers that only this row's key means; none if the key is a name."""
        key = self.number_keys.get(row.id)
        if key is None or row.kind == "record" or not key_column(row).strip():
            return []
        return [number for number in _span(key) if self._covering[number] == 1]

    def short_keys(self, row: Chunk) -> list[str]:
        """Return parts of a key whose words no other key contains: `launcher`, `Actuator ID` for `1 (Actuator ID)`."""
        key = plain(row.row_key or "")
        if numbered := _NUMBERED.fullmatch(key):
            parts = [numbered[2], f"{plain(unbracketed(key_column(row)))} {numbered[1]}"]
        else:
            words = unbracketed(key).replace(",", " ").split()
            long = [word.lower() for word in words if len(word) > _SHORTEST_OTHER and word.isalpha()]
            parts = [unbracketed(key), *(long if len(words) > 1 else [])]
        return [part for part in parts if part and part != key and self._means(part, row)]

    def others(self, row: Chunk) -> list[Named]:
        """Return other cells that identify the row: no other row has them, or none with the same key."""
        if row.kind == "record" or self.of_fields:
            return []
        unshared = self._same_key[folded(row.row_key or "")] > 1 and row.row_key and len(row.row_key) <= _LONGEST_KEY
        nameds: list[Named] = []
        for name, cell in self.columns(row):
            alone = self._cells[name, folded(cell)] == 1
            if len(cell) <= _LONGEST_OTHER and (
                alone or (unshared and self._keyed_cells[row.row_key, name, folded(cell)] == 1)
            ):
                ways = self._said(name, cell)
                nameds += [(name, ways)] if ways else []
        return nameds

    def needs_key_with(self, row: Chunk, other: Named) -> bool:
        """Whether a cell identifies the row only together with its key."""
        name, _ = other
        cell = dict(zip(row.columns, row.cells, strict=False))[name]
        return self._cells[name, folded(cell)] > 1

    @property
    def highest(self) -> int | None:
        """The largest number in the keys; None unless every key is a number."""
        if len(self.number_keys) < len(self.rows):
            return None
        return max(key.high for key in self.number_keys.values())

    @property
    def of_fields(self) -> bool:
        """Whether the rows are fields (`Armour Class:`) of the subject of the table or of each further column."""
        colons = sum((row.row_key or "").rstrip("* ").endswith(":") for row in self.rows)
        return colons * 2 > len(self.rows) and not any(row.kind == "record" for row in self.rows)

    def columns(self, row: Chunk) -> list[tuple[str, str]]:
        """Return the columns to ask for, with their cells: with a unique name, not the key, answered in a few words."""
        count = Counter(folded(name) for name in row.columns)
        return [
            (name, cell)
            for name, cell in zip(row.columns, row.cells, strict=False)
            if count[folded(name)] == 1
            and _can_be_said(name)
            and any(letter.isalnum() for letter in cell)
            and len(cell) <= _LONGEST_ANSWER
            and cell != row.row_key
            and folded(cell) != folded(name)
            and not _HOLLOW.fullmatch(plain(cell))
            and not self._is_a_value(name, row)
        ]

    def _is_a_value(self, name: str, row: Chunk) -> bool:
        """Whether a column's name is like its values, because the table's first pair is written as its header."""
        if len(row.columns) != 2 or row.kind == "record" or self.of_fields:
            return False
        words = words_of([name])
        return any(words <= words_of(cell for head, cell in _cells(other) if head == name) for other in self.rows)

    def _means(self, part: str, row: Chunk) -> bool:
        words = words_of([part])
        return not any(words <= have for other, have in self._key_words.items() if other != row.id)

    def _said(self, name: str, cell: str) -> tuple[str, ...]:
        """Return the cell, or the numbers that only its range has; nothing for a common value."""
        key = number_key(cell)
        if key is not None and key.low < key.high:
            keys = [number_key(other_cell) for row in self.rows for head, other_cell in _cells(row) if head == name]
            covering = Counter(number for other_key in keys if other_key for number in _span(other_key))
            return tuple(str(number) for number in _span(key) if covering[number] == 1)
        if _COMMON.fullmatch(plain(cell)) or len(cell) < _SHORTEST_OTHER:
            return ()
        if any(letter.isalpha() for letter in cell) or sum(map(str.isdigit, cell)) >= _TELLING_DIGITS:
            return (cell,)
        return ()


def key_column(row: Chunk) -> str:
    """Return the name of the column with the row key, or of the first column if there is none."""
    return next((name for name, cell in _cells(row) if cell == row.row_key), row.columns[0] if row.columns else "")


def _can_be_said(column: str) -> bool:
    return (
        not _INVENTED.fullmatch(column.strip())
        and not is_dice(column)
        and any(letter.isalpha() for letter in column)
        and len(column) <= _LONGEST_KEY
    )


def _cells(row: Chunk) -> list[tuple[str, str]]:
    return list(zip(row.columns, row.cells, strict=False))


def _folded_cells(row: Chunk) -> list[tuple[str, str]]:
    return [(name, folded(cell)) for name, cell in _cells(row)]


def _span(key: NumberKey) -> range:
    return range(key.low, min(key.high, key.low + _WIDEST_RANGE) + 1)


_BY_OTHER = 0.3
"""Share of the look-ups that name their row by a cell other than its key, if there is one."""
_SILENT = 0.5
"""Share of the look-ups by key without the name of their column, if people ask for such a column without it."""
_ROW_ALONE = 0.2
"""Share of those that do not even ask for the column, for other columns."""


@dataclass(frozen=True, slots=True)
class Lookup:
    """A question about one row."""

    query: str
    answer: str
    keys: dict[str, str]
    """The cells that identify the row, by column."""


@dataclass(frozen=True, slots=True)
class _Row:
    """The phrase that names a row."""

    phrase: str
    keys: dict[str, str]
    written: tuple[str, ...]
    """The book's words in the phrase."""
    by_number: bool
    """Whether it is named by a number, which need not be written in the book."""


def lookup(row: Chunk, table: AskedTable, name: TableName, phrasing: Phrasing) -> Lookup:
    """Return a question for one cell of a row in `AskedTable.distinct`; `name` has its table's names."""
    others = table.others(row)
    if others and (not table.by_key(row) or phrasing.random.random() < _BY_OTHER):
        return _by_other(row, table, phrasing.random.choice(others), name, phrasing)
    column, answer = phrasing.random.choice(table.columns(row))
    key = _key(row, table, phrasing)
    if table.of_fields:
        # the heading of a single column of values is itself a value
        subject = phrasing.random.choice(name.ways)
        owner = subject if len(row.cells) == 2 else f"{phrasing.column(column)} ({subject})"
        field = phrasing.column(row.row_key or "")
        return Lookup(phrasing.template(FIELD_LOOKUPS, field=field, owner=owner), answer, key.keys)
    return Lookup(_by_key(row, key, column, name, phrasing), answer, key.keys)


def _by_key(row: Chunk, key: _Row, column: str, name: TableName, phrasing: Phrasing) -> str:
    """Return the question for a column of a row named by its key, with or without the name of the column."""
    chance, asks = phrasing.random.random(), asked_as(column)
    silent = chance < _SILENT and (bool(asks) or chance < _SILENT * _ROW_ALONE)
    subject = "" if row.kind == "record" else _subject(row, key, [] if silent else [column], name, phrasing)
    if silent and asks:
        question = phrasing.random.choice(asks).format(key=key.phrase)
        return _filled(ABOUT, ABOUT_ALONE, {"question": question}, subject, phrasing)
    if silent and subject:
        return phrasing.template(ROW, key=key.phrase, subject=subject)
    words = {"column": phrasing.column(column), "key": key.phrase}
    return _filled(LOOKUPS, RECORD_LOOKUPS, words, subject, phrasing)


def _by_other(row: Chunk, table: AskedTable, other: Named, name: TableName, phrasing: Phrasing) -> Lookup:
    named = _other(row, other, phrasing)
    askable = [(column, answer) for column, answer in table.columns(row) if column != other[0]]
    kind = column_forms(column_name(key_column(row)))[0]
    if table.needs_key_with(row, other):
        column, answer = phrasing.random.choice(askable or [(other[0], named.keys[folded(other[0])])])
        key = _Row(
            f"{phrasing.name(row.row_key or '')}, {named.phrase}",
            {**named.keys, folded(key_column(row)) or "name": row.row_key or ""},
            (*named.written, row.row_key or ""),
            named.by_number,
        )
        words = {"column": phrasing.column(column), "key": key.phrase}
        subject = _subject(row, key, [column], name, phrasing)
        return Lookup(_filled(LOOKUPS, RECORD_LOOKUPS, words, subject, phrasing), answer, key.keys)
    if not askable or (kind and row.row_key and phrasing.random.random() < 0.5):
        words = {"name": kind or "one", "other": named.phrase}
        subject = _subject(row, named, [key_column(row)], name, phrasing)
        query = _filled(WHICH, WHICH_ALONE, words, subject, phrasing)
        return Lookup(query, row.row_key or named.phrase, named.keys)
    column, answer = phrasing.random.choice(askable)
    words = {"column": phrasing.column(column), "name": kind or "one", "other": named.phrase}
    subject = _subject(row, named, [column], name, phrasing)
    return Lookup(_filled(BY_OTHER, BY_OTHER_ALONE, words, subject, phrasing), answer, named.keys)


def _key(row: Chunk, table: AskedTable, phrasing: Phrasing) -> _Row:
    numbers, name, key = table.numbers(row), folded(key_column(row)) or "name", row.row_key or ""
    if numbers:
        number = phrasing.random.choice(numbers)
        phrase = phrasing.number(number, key_column(row))
        return _Row(phrase, {name: str(number)}, (key_column(row),), by_number=True)
    short = table.short_keys(row)
    phrase = phrasing.name(key, short)
    # the words of every form are in the shortest one that is used
    return _Row(phrase, {name: key}, (phrase if phrase in short else key,), by_number=not any(map(str.isalpha, key)))


def _other(row: Chunk, other: Named, phrasing: Phrasing) -> _Row:
    column, ways = other
    cell = phrasing.random.choice(ways)
    return _Row(
        phrasing.with_cell(column, cell),
        {folded(column): cell},
        (column, cell) if cell in row.cells else (column,),
        by_number=cell not in row.cells,
    )


def _subject(row: Chunk, named: _Row, columns: Sequence[str], name: TableName, phrasing: Phrasing) -> str:
    return name.say(phrasing, [*named.written, *columns], None if named.by_number else row.id)


def _filled(
    templates: Sequence[str], alone: Sequence[str], words: dict[str, str], subject: str, phrasing: Phrasing
) -> str:
    if subject:
        return phrasing.template(templates, subject=subject, **words)
    return phrasing.template(alone, **words)
