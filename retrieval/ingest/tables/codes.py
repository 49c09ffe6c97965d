"""Codes of a book and what they mean: `D3` is a hotel in every table, if one of them says `D3 | Lodging | hotel`.

People ask for `a hotel`, and the row that answers is called `Group D3`. Two places define codes: a table with a column
of codes and one of names, and prose such as `Zone 4: Albania, Belarus`, whose word before the number is the column of
the tables that use it.
"""

import re
from collections import defaultdict
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from retrieval.ingest.tables.reading import TableMeaning
from retrieval.ingest.tables.table import Table
from retrieval.language.english import word_set
from retrieval.language.numbers.quantity import singular

_CODE = re.compile(r"[A-Z]{1,5}[ -]?\d{1,4}[a-z]?|[A-Z]{1,3}[a-z]?")
_CODE_IN_TITLE = re.compile(r"(?<![\w.-])(?:[A-Z]{2,5}\d{0,4}|[A-Z]\d{1,4})[a-z]?(?![\w-])")
_IN_PROSE = re.compile(
    r"(?:^[ \t>+-]*|(?<=[.;]) +)(?P<bold>\*\*)?(?P<label>[A-Z][a-z]{2,}) (?P<code>\d{1,3}[a-z]?|[A-Z]\d{0,2}|[IVX]+)"
    r"(?:(?: ?[:=])(?:\*\*)?|(?(bold)\.?\*\*|(?!)))[:.]? +"
    r"(?P<meaning>(?:[^.;\n|*]|\.(?=\S)){3,300}?)(?=[.;](?:\s|$)|$)",
    re.MULTILINE,
)
"""`Zone 4: Albania (355), Belarus (375).`, or `**Byelaw 5.** No person shall bathe in a lock.`"""
_FENCE = re.compile(r"^(```|~~~).*?^\1", re.MULTILINE | re.DOTALL)
_WRAPPED = re.compile(r"(?<=\S)\n(?=[^\s>*+#|`~-])")
"""A line end within a paragraph."""
_LABELLED = re.compile(r"(?P<label>[^\W\d_]{3,}) (?P<codes>.*\S)")
"""`Zones 4 and 5`."""
_MARKS = re.compile(r"[*`†‡§¹²³⁴ᵃᵇᶜᵈ]")
_LETTERS = re.compile(r"[^\W\d_]+")
_SEPARATORS = re.compile(r"\s*(?:[,;/&+]|\b(?:and|or)\b)\s*")
_GENERIC_HEADS = word_set("heads_of_codes")
"""Heads that columns of different codes share."""
_FEWEST = 3
"""Fewest codes in a table that defines them."""
_MOST_NAME_WORDS, _MOST_EXAMPLE_WORDS = 6, 12
_TOGETHER = 2
"""Fewest headings of a table that one other table defines, so that they are codes: alone, `LOW` may mean anything."""
_MOST_CODES = 6
"""Codes in one cell or title: more of them are a list, and no question means all."""


@dataclass(frozen=True, slots=True)
class _Definition:
    """One place where a code is defined."""

    table: str | None
    """Id of the table; None: prose."""
    heads: frozenset[str]
    """The last words of the columns or the label that such codes have elsewhere."""
    is_general: bool
    """Whether the code means the same in columns with other heads."""
    names: tuple[str, ...]
    """The name first, then examples."""


@dataclass(frozen=True, slots=True)
class Codes:
    """The codes of one book."""

    definitions: Mapping[str, Sequence[_Definition]]

    @classmethod
    def of(
        cls, texts: Iterable[str], tables: Sequence[Table], readings: Sequence[TableMeaning], words: Container[str]
    ) -> "Codes":
        """Find the codes that the tables and the prose of a book define.

        Args:
            readings: aligned with the tables.
            words: of the book, in lower case; none of them is a code.
        """
        definitions: dict[str, list[_Definition]] = defaultdict(list)
        for table, reading in zip(tables, readings, strict=True):
            for code, definition in _defined_in_table(table, reading):
                if code.casefold() not in words:
                    definitions[code].append(definition)
        for text in texts:
            for match in _IN_PROSE.finditer(_WRAPPED.sub(" ", _FENCE.sub("", text))):
                heads, meaning = frozenset({_folded(match["label"])}), match["meaning"].replace("`", "").strip(" ,")
                if meaning:
                    definitions[match["code"]].append(_Definition(None, heads, False, (meaning,)))
        return cls(dict(definitions))

    def meanings(self, key: str, head: str, table: str) -> tuple[str, ...]:
        """Return what the codes in the key of a row mean, if its own table does not say so.

        Args:
            head: heading of the key's column.
            table: id of the row's table.
        """
        cell = _MARKS.sub("", key).strip()
        if labelled := _LABELLED.fullmatch(cell):
            head, cell = labelled["label"], labelled["codes"]
        names = self._names_of_list(cell, _folded(head), table, needs_head=labelled is not None)
        return tuple(dict.fromkeys(name for some in names for name in some))

    def named_in(self, title: str, table: str) -> tuple[str, ...]:
        """Return the names of the codes in a title of a table: `Plan HF` is about `Hearth Family`."""
        codes = [code for code in dict.fromkeys(_CODE_IN_TITLE.findall(title)) if code in self.definitions]
        names = [self._names(code, "", table)[:1] for code in codes] if len(codes) <= _MOST_CODES else []
        return tuple(dict.fromkeys(name for some in names for name in some))

    def explained(self, columns: Sequence[str], table: str) -> tuple[str, ...]:
        """Return the headings of a table, codes with their names if there are several: `HF (Hearth Family)`."""
        names = {column: self._names_of_list(column, "", table) for column in columns}
        meanings = {column: "; ".join(some[0] for some in named) for column, named in names.items() if named}
        if sum(map(len, names.values())) < _TOGETHER:
            return tuple(columns)
        return tuple(f"{column} ({meanings[column]})" if column in meanings else column for column in columns)

    def _names_of_list(
        self, cell: str, head: str, table: str, *, needs_head: bool = False
    ) -> Sequence[tuple[str, ...]]:
        """Return the names of each code in `D1, D2 and D3`; empty if any part has none."""
        codes = [code for code in _SEPARATORS.split(cell) if code]
        if len(codes) > _MOST_CODES:
            return []
        names = [self._names(code, head, table, needs_head=needs_head) for code in codes]
        return names if all(names) else []

    def _names(self, code: str, head: str, table: str, *, needs_head: bool = False) -> tuple[str, ...]:
        """Return the name and examples of a code; empty if it is not defined elsewhere, or in different ways.

        Without a definition for its head, a code of several characters has that of any head, but a number has none.
        """
        definitions = self.definitions.get(code, ())
        if any(definition.table == table for definition in definitions):
            return ()
        matching = [definition for definition in definitions if head in definition.heads]
        if not matching and not needs_head and len(code) > 1:
            matching = [definition for definition in definitions if definition.is_general]
        if len({definition.names[0].casefold() for definition in matching}) != 1:
            return ()
        return tuple(dict.fromkeys(name for definition in matching for name in definition.names))


def _defined_in_table(table: Table, reading: TableMeaning) -> Iterator[tuple[str, _Definition]]:
    """Yield the codes of a table: those of its key, with the names in the next columns, or of another column, with the
    key or a column before it as their name."""
    rows = [[_MARKS.sub("", cell).strip() for cell in row.cells] for row in reading.rows if row.role == "data"]
    if reading.kind != "grid" or len(rows) < _FEWEST:
        return
    columns = list(zip(*rows, strict=True))
    for at in [column for column, cells in enumerate(columns) if _are_codes(cells)]:
        is_key = at == reading.key_column
        name_columns = range(at + 1, min(at + 3, len(columns))) if is_key else [reading.key_column, *range(at)]
        named = next((column for column in name_columns if _are_names(columns[column])), None)
        if named is None:
            continue
        after = columns[named + 1] if is_key and named + 1 < len(columns) else ()
        examples = after if _are_examples(after) else ("",) * len(rows)
        head = _folded(reading.columns[at])
        heads = frozenset({head, _folded(reading.columns[named])}) - _GENERIC_HEADS - {""}
        for code, name, more in zip(columns[at], columns[named], examples, strict=True):
            if code:
                names = (name, *(part for part in _SEPARATORS.split(more) if part))
                yield code, _Definition(table.id, heads, is_key or head in _GENERIC_HEADS, names)


def _are_codes(cells: Sequence[str]) -> bool:
    """Whether a column consists of distinct codes; some rows may have none."""
    codes = [cell for cell in cells if cell]
    return (
        len(codes) >= max(_FEWEST, 0.7 * len(cells))
        and len(set(codes)) == len(codes)
        and all(_CODE.fullmatch(code) for code in codes)
    )


def _are_names(cells: Sequence[str]) -> bool:
    """Whether a column consists of distinct short phrases, few of them with a number."""
    return all(cells) and _are_phrases(cells, _MOST_NAME_WORDS, 0.3) and _n_distinct(cells) >= 0.9 * len(cells)


def _are_examples(cells: Sequence[str]) -> bool:
    """Whether a column consists of longer phrases or lists, most of them distinct."""
    filled = [cell for cell in cells if cell]
    return (
        len(filled) >= max(_FEWEST, 0.7 * len(cells))
        and _are_phrases(filled, _MOST_EXAMPLE_WORDS, 0.2)
        and _n_distinct(filled) >= 0.8 * len(filled)
    )


def _are_phrases(cells: Sequence[str], most_words: int, with_number: float) -> bool:
    phrases = [cell for cell in cells if len(cell.split()) <= most_words and _has_word(cell)]
    numbered = [cell for cell in cells if any(map(str.isdigit, cell))]
    return len(phrases) >= 0.8 * len(cells) and len(numbered) <= with_number * len(cells)


def _has_word(cell: str) -> bool:
    """Whether a cell has a word of three letters that is no code itself."""
    return any(len(word) > 2 and not word.isupper() for word in _LETTERS.findall(cell))


def _n_distinct(cells: Sequence[str]) -> int:
    return len(set(map(str.casefold, cells)))


def _folded(head: str) -> str:
    """Return the last word of a heading or a label, in the singular, without a meaning that was added to it."""
    words = _LETTERS.findall(head.partition(" (")[0].casefold())
    return singular(words[-1]) if words else ""
