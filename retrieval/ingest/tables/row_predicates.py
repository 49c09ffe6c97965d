"""The predicate of each row on the question (`query_must`): the owner's, or that of a matrix, and its key's rivals.

A strict table is a matrix of near-identical rows, each of which is useful only to a question with the row's value.
"""

import json
import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial

from retrieval.ingest.density import near_duplicate_density
from retrieval.ingest.losses import attempt
from retrieval.ingest.tables.column_names import ROLL, column_label, column_labels
from retrieval.ingest.tables.glossary import subjects_of
from retrieval.ingest.tables.key_column import ReadRow
from retrieval.ingest.tables.reading import TableMeaning, why_unkeyed
from retrieval.ingest.tables.row_object import Json, JsonValue, row_search_text
from retrieval.ingest.tables.table import Table
from retrieval.language.canonical import literal
from retrieval.language.lexicon import Label, Way
from retrieval.language.numbers.cells import MAX_EXPANDED, NumberRange, parse_range, way_that_is_better
from retrieval.language.vocabulary import Vocabulary
from retrieval.query_must.operators import NO_RIVAL
from retrieval.query_must.predicate import extract_query_must
from retrieval.types import Row

MIN_ROWS = 8
MIN_DENSITY = 0.5
MIN_SHARE = 0.9
"""Smallest share of keys that are numbers or ranges."""

ABOUT = 2
"""Most words of a heading that may be said before a number."""
_NAME = re.compile(r"[^\W\d_]+(?:[ -][^\W\d_]+)*")

ASKING = ("what", "which")
"""Words before a label that ask for its number; they may also precede a longer label of the same kind."""
ASKING_MOST = ("lowest", "highest", "minimum", "best")
"""Words that ask for a number only directly before the label itself."""
ASKING_BEHIND = ("at which",)


@dataclass(frozen=True, slots=True)
class _Matrix:
    table: Table
    reading: TableMeaning
    labels: tuple[Label, ...]
    """The vocabulary's labels for the numbers in the row key."""
    better: Way
    """The direction in which a key such as `2 or better` is open."""
    axis: str
    """Label of the columns, or else their words."""

    @property
    def family(self) -> tuple[str, ...]:
        """The labels of both axes, which twins have in common whatever their extent and spelling."""
        return (*(label.name for label in self.labels), "by", self.axis)


@dataclass(frozen=True, slots=True)
class StrictTables:
    """The strict tables of one book, with the labels of their keys and the words for their subjects."""

    labels: Mapping[str, tuple[str, ...]]
    """Canonical labels; a `caster level` may also be called a level."""
    asking: Mapping[str, tuple[str, ...]]
    """Terms of questions that ask for the key instead of naming it."""
    better: Mapping[str, Way]
    subjects: Mapping[str, tuple[str, ...]]
    implied: frozenset[str] = frozenset()
    """Tables whose key may be given without its label: `cleric 10`."""
    opposed: frozenset[str] = frozenset()
    """Tables whose key is a value of the opponent (`Opponent Armor Class`)."""

    @classmethod
    def find(cls, tables: Sequence[Table], readings: Sequence[TableMeaning], vocabulary: Vocabulary) -> "StrictTables":
        """Apply the rule to every table: a numeric key with a label, a numeric second axis, eight near-identical rows.

        Rows are counted over a table and its twins: ten short matrices are as hard to tell apart as a long one.
        """
        families: dict[tuple[str, ...], list[_Matrix]] = defaultdict(list)
        for table, reading in zip(tables, readings, strict=True):
            matrix = attempt(
                partial(_matrix, table, reading, vocabulary),
                lambda: None,
                "whether a table is strict",
                table.document,
                table.lines[0],
            )
            if matrix:
                families[matrix.family].append(matrix)
        labels: dict[str, tuple[str, ...]] = {}
        asking: dict[str, tuple[str, ...]] = {}
        better: dict[str, Way] = {}
        subjects: dict[str, tuple[str, ...]] = {}
        for family in families.values():
            if not _is_crowd(family):
                continue
            labels |= {matrix.table.id: _spoken(matrix.labels, vocabulary) for matrix in family}
            asking |= {matrix.table.id: _asking(labels[matrix.table.id], vocabulary) for matrix in family}
            better |= {matrix.table.id: matrix.better for matrix in family}
            subjects |= subjects_of([matrix.table for matrix in family], vocabulary)
            ruled = ((matrix.table.id, matrix.table.rule) for matrix in family)
            subjects |= {table: rule.subject for table, rule in ruled if rule and rule.subject}
        strict = [matrix for family in families.values() for matrix in family if matrix.table.id in labels]
        implied = frozenset(matrix.table.id for matrix in strict if any(label.implied for label in matrix.labels))
        opposed = frozenset(matrix.table.id for matrix in strict if _is_opposed(matrix, vocabulary))
        return cls(labels, asking, better, subjects, implied, opposed)

    def predicate(self, table: Table, column: str, key: str) -> Json | None:
        """Return the `query_must` of the row `key` under the heading `column`.

        None if the table is not strict, or if the key's numbers cannot be read or enumerated. They are enumerated
        rather than given as `contain_range`, so that questions that ask for the key (`at what level`) also get the row.
        """
        labels = self.labels.get(table.id)
        spread = parse_range(key, self.better[table.id]) if labels else None
        values = _values(spread) if spread else ()
        if labels is None or not values:
            return None
        names = (column.casefold(), *labels) if len(values) == 1 else _shortest(labels)
        terms = [f"{name} {value}" for name in dict.fromkeys(names) for value in values]
        subject = self.subjects.get(table.id, ())
        about = _about(table, subject) if table.id in self.implied else ()
        bare = [f"{name} {value}" for name in about for value in values]
        value_group: list[JsonValue] = [*terms, *self.asking[table.id], *bare]
        if not subject:
            return {"contain_one_of": [value_group]}
        predicate: Json = {"contain_one_of": [list(subject), value_group]}
        if table.id in self.opposed:
            predicate["contain_across"] = [list(subject), list(value_group)]
        return predicate


def _about(table: Table, subject: Sequence[str]) -> Sequence[str]:
    """Return the words before a bare number that refer to this table: its subject, and the short headings above."""
    above = (heading.casefold() for heading in table.heading_path if len(heading.split()) <= ABOUT)
    return tuple(dict.fromkeys((*subject, *(heading for heading in above if _NAME.fullmatch(heading)))))


def _is_opposed(matrix: _Matrix, vocabulary: Vocabulary) -> bool:
    # The written form, because `opponent armor class` is a form of the label and missing in its canonical text.
    words = set(re.findall(r"[^\W\d_]+", matrix.reading.columns[matrix.reading.key_column].casefold()))
    return not words.isdisjoint(vocabulary.opponent_words)


def _values(spread: NumberRange) -> tuple[int, ...]:
    """Return the numbers of a key, `MAX_EXPANDED` of an open one; none if its bound is further than that from zero."""
    bound = spread.high if spread.low is None else spread.low
    if bound is None or (spread.low is not None and spread.high is not None):
        return spread.values
    step = -1 if spread.low is None else 1
    return tuple(range(bound, bound + step * MAX_EXPANDED, step)) if abs(bound) <= MAX_EXPANDED else ()


def _shortest(labels: Sequence[str]) -> list[str]:
    """Return the labels that do not end in another one: a question with `caster level 5` also has `level 5`."""
    return [name for name in labels if not any(name.endswith(f" {end}") for end in labels)]


def _asking(labels: Sequence[str], vocabulary: Vocabulary) -> tuple[str, ...]:
    """Return terms of questions that ask for a number instead of naming one, so that any row may be the answer."""
    longer = [name for name, tails in vocabulary.lexicon.tails.items() if set(tails) & set(labels)]
    before = [f"{word} {name}" for name in labels for word in (*ASKING, *ASKING_MOST)]
    behind = [f"{name} {words}" for name in _shortest(labels) for words in ASKING_BEHIND]
    return tuple(dict.fromkeys((*before, *behind, *(f"{word} {name}" for name in longer for word in ASKING))))


def _matrix(table: Table, reading: TableMeaning, vocabulary: Vocabulary) -> _Matrix | None:
    axis = reading.axis
    data_rows = [row for row in reading.rows if row.role == "data"]
    if reading.kind != "grid" or axis is None or not data_rows:
        return None
    # A table with other columns beside its axis may answer a question without a number.
    if len(axis.columns) < len(reading.columns) - 1 or reading.key_column in axis.columns:
        return None
    labels = column_labels(reading.columns[reading.key_column], vocabulary)
    # A roll is described in too many ways (`a natural 7`, `55 on d%`, `I rolled a 7`) to require its label.
    if ROLL in _spoken(labels, vocabulary):
        return None
    keys = [row.cells[reading.key_column] for row in data_rows]
    if not labels or _share([parse_range(key) is not None for key in keys]) < MIN_SHARE:
        return None
    told = {label.better for label in labels}
    better = way_that_is_better(keys, told.pop() if len(told) == 1 else "")
    label = column_label(axis.name or _counted_per(table.title or ""), vocabulary)
    # A 9th-level slot at caster level 17: a number with the label may refer to either axis.
    if label and not set(_spoken([label], vocabulary)).isdisjoint(_spoken(labels, vocabulary)):
        return None
    return _Matrix(table, reading, labels, better, label.name if label else literal(axis.name))


def _counted_per(title: str) -> str:
    """Return `spell level` for `Spell Slots per Spell Level`, the name of columns that are bare numbers."""
    return title.casefold().rpartition(" per ")[2] if " per " in title.casefold() else ""


def _spoken(labels: Iterable[Label], vocabulary: Vocabulary) -> tuple[str, ...]:
    """Return the labels and the shorter labels that end them: `a 7th level fighter` instead of `character level`."""
    tails = vocabulary.lexicon.tails
    return tuple(dict.fromkeys(name for label in labels for name in (label.name, *tails[label.name])))


def _share(verdicts: Sequence[bool]) -> float:
    return sum(verdicts) / len(verdicts) if verdicts else 0.0


def _is_crowd(family: Sequence[_Matrix]) -> bool:
    texts = [
        row_search_text(matrix.table, row.columns, row.cells, row.label)
        for matrix in family
        for row in matrix.reading.rows
        if row.role == "data"
    ]
    return len(texts) >= MIN_ROWS and near_duplicate_density(texts) >= MIN_DENSITY


def row_predicate(table: Table, row: ReadRow, key: str, strict: StrictTables, column: str, *, keyed: bool) -> Json:
    """Return the predicate of a row; empty for a heading, and for a table that its owner left open.

    Args:
        key: of the row.
        strict: the strict tables of the book.
        column: the head of the column of keys.
        keyed: whether a question that names another row of the table excludes this one (`is_keyed`).
    """
    if row.role != "data" or (table.rule and table.rule.open):
        return {}
    position: Json = {"table": table.id, "row": row.ordinal}
    rival: Json = {NO_RIVAL: position} if keyed else {}
    return (own_predicate(table, key) or strict.predicate(table, column, key) or {}) | rival


def is_keyed(
    table: Table,
    reading: TableMeaning,
    names: Mapping[int, Sequence[str]],
    strict: StrictTables,
    vocabulary: Vocabulary,
) -> bool:
    """Whether each key of a table stands for one row, so that naming another row excludes it; a strict table has its
    own predicates."""
    return table.id not in strict.labels and why_unkeyed(reading, names, vocabulary) is None


def own_predicate(table: Table, key: str) -> Json:
    """Return the owner's predicate for the row of this key; empty if there is none."""
    written = table.rule.predicate_of(key) if table.rule else None
    predicate: Json = json.loads(written) if written else {}
    return predicate


def extract_predicates(rows: Iterable[Row]) -> tuple[Row, ...]:
    """Return the rows, with `query_must` moved from their content to the row's predicate."""
    return tuple(
        attempt(partial(_extracted, row), partial(replace, row), f"the predicate of the row {row.key!r}")
        for row in rows
    )


def _extracted(row: Row) -> Row:
    extraction = extract_query_must(row.content)
    if extraction.query_must is None:
        return row
    return replace(row, content=extraction.content, query_must=extraction.query_must)
