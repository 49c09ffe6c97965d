"""Checks of a model's answer: each cell is compared with the book, and each predicate is tried."""

import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from retrieval.errors import BadPredicateError
from retrieval.ingest.model_tables.request import ModelPredicate, ModelRow, ModelTable, data_rows
from retrieval.ingest.tables.key_column import ReadRow
from retrieval.ingest.tables.reading import TableMeaning
from retrieval.ingest.tables.row_object import MAX_NAME_WORDS, row_key
from retrieval.ingest.tables.table import Table
from retrieval.language.canonical import canonical, canonical_term, literal
from retrieval.language.vocabulary import Vocabulary
from retrieval.models.chat import Answered
from retrieval.query_must.lint import LintFinding, LintItem, lint, unusable
from retrieval.query_must.predicate import parse_query_must, satisfies_query_must
from retrieval.query_must.sibling_mentions import Speech
from retrieval.query_must.siblings import words_of
from retrieval.types import Row

MOST_NAMES = 8
_DIGITS = re.compile(r"\d+")


@dataclass(frozen=True, slots=True)
class BelievedNames:
    """Accepted names by row ordinal, and the rows with dropped names, with the reasons."""

    kept: Mapping[int, tuple[str, ...]]
    dropped: tuple[tuple[int, str], ...]


def believed_names(
    table: Table, offline: Mapping[int, Row], given: Mapping[int, Sequence[str]], vocabulary: Vocabulary
) -> BelievedNames:
    """Check the names of all rows of a table together: a name that two rows share identifies neither."""
    names = {ordinal: [" ".join(name.split()) for name in of_row][:MOST_NAMES] for ordinal, of_row in given.items()}
    runs = {ordinal: {name: canonical_term(name, vocabulary) for name in of_row} for ordinal, of_row in names.items()}
    claimed = Counter(run for runs_of_row in runs.values() for run in set(runs_of_row.values()))
    others = {
        ordinal: {canonical_term(text, vocabulary) for text in (*row.names, *row.cells, row.called, row.key) if text}
        for ordinal, row in offline.items()
    }
    speech = Speech.of(vocabulary)
    heads = words_of((*table.heading_path, table.caption or "", *table.header), vocabulary)
    kept: dict[int, tuple[str, ...]] = {}
    dropped: list[tuple[int, str]] = []
    for ordinal, run_of in runs.items():
        own = offline[ordinal]
        known = {number for text in (*own.names, *own.cells, own.called) for number in _DIGITS.findall(text)}
        theirs = {run for other, their in others.items() if other != ordinal for run in their}

        def wrong(name: str, run: str, known: set[str] = known, theirs: set[str] = theirs) -> Iterator[str]:
            if not run or len(name.split()) > MAX_NAME_WORDS or not speech.is_name(run.split()):
                yield "names nothing"
            if run in theirs or claimed[run] > 1:
                yield "is another row's too"
            if foreign := set(_DIGITS.findall(name)) - known:
                yield f"says {', '.join(sorted(foreign))}, which the row does not"
            if heads.issuperset(run.split()):
                yield "applies to the whole table"

        objections = {name: next(wrong(name, run), "") for name, run in run_of.items() if run not in others[ordinal]}
        kept[ordinal] = tuple(name for name, why in objections.items() if not why)
        if reasons := [f"{name!r:.60} {why}" for name, why in objections.items() if why]:
            dropped.append((ordinal, "; ".join(reasons)))
    return BelievedNames(kept, tuple(dropped))


@dataclass(frozen=True, slots=True)
class BelievedPredicates:
    """Accepted conditions by row ordinal, and the dropped ones with the reason."""

    kept: Mapping[int, str]
    dropped: tuple[tuple[int, str], ...]


def believed_predicates(
    table: Table,
    offline: Mapping[int, Row],
    titles: Mapping[int, str],
    given: Mapping[int, ModelPredicate],
    vocabulary: Vocabulary,
    *,
    by_key_alone: bool,
) -> BelievedPredicates:
    """Try every condition.

    Some question must be able to meet it, and both the model's and the rules' title of the row must meet it: a
    condition with another row's key fits neither. If the rules know no subject of the table, the row's name must be
    enough to meet it.
    """
    written = {ordinal: text for ordinal, predicate in given.items() if (text := _written(predicate))}
    dropped: dict[int, str] = {}
    for ordinal, text in written.items():
        try:
            parse_query_must(text, strict=True)
        except BadPredicateError as error:
            dropped[ordinal] = f"invalid: {error}"
    sound = {ordinal: text for ordinal, text in written.items() if ordinal not in dropped}
    for said_by in (titles, {ordinal: _title(row) for ordinal, row in offline.items()}):
        items = [LintItem(str(ordinal), said_by[ordinal], table.id, text) for ordinal, text in sound.items()]
        findings = lint(items, vocabulary)
        harmful = unusable(findings)
        for ordinal in sound:
            if str(ordinal) in harmful:
                dropped.setdefault(ordinal, _reason(findings, str(ordinal)))
    for ordinal, text in sound.items():
        called = offline[ordinal].called or offline[ordinal].key
        if by_key_alone and not satisfies_query_must(canonical(called, vocabulary), text):
            dropped.setdefault(ordinal, f"it asks for more than the key: {called!r} does not satisfy {text}")
    kept = {ordinal: text for ordinal, text in written.items() if ordinal not in dropped}
    return BelievedPredicates(kept, tuple(sorted(dropped.items())))


def _written(predicate: ModelPredicate) -> str:
    """Return the condition as JSON without its empty parts; empty if there are no others."""
    parts = predicate.model_dump(exclude_none=True)
    if span := parts.get("contain_range"):
        parts["contain_range"] = {name: value for name, value in span.items() if value != []}
    conditions = {name: value for name, value in parts.items() if value not in ([], "", {})}
    if "contain_one_of" in conditions:
        conditions["contain_one_of"] = [group for group in conditions["contain_one_of"] if group]
    return json.dumps(conditions, ensure_ascii=False) if any(conditions.values()) else ""


def _title(row: Row) -> str:
    return str(json.loads(row.content)["title"])


def _reason(findings: tuple[LintFinding, ...], ordinal: str) -> str:
    return next(
        f"{finding.rule}: {finding.message}"
        for finding in findings
        if finding.id == ordinal and finding.severity == "error"
    )


_NUMBER = re.compile(r"\d+(?:[.,]\d+)*")
_SHOWN = 5

Part = Literal["query_must", "names", "description", "title"]


@dataclass(frozen=True, slots=True)
class Dropped:
    """A rejected part of a row that is otherwise accepted."""

    table_id: str
    ordinal: int
    part: Part
    why: str


@dataclass(frozen=True, slots=True)
class BelievedRow:
    """The accepted parts of a model's answer for one row. Its cells are the book's."""

    title: str
    description: str | None
    """None: the rules' description is used."""
    names: tuple[str, ...]
    query_must: str | None
    """JSON; None: the model gave no condition, or it was rejected."""


@dataclass(frozen=True, slots=True)
class CheckedAnswer:
    """A checked answer. If there are problems, nothing of it is used."""

    problems: tuple[str, ...] = ()
    paths: tuple[tuple[str, ...], ...] = ()
    """Property names of each column."""
    rows: Mapping[int, BelievedRow] = field(default_factory=dict)
    """The rows by ordinal."""
    dropped: tuple[Dropped, ...] = ()


def judged(
    table: Table,
    reading: TableMeaning,
    offline: Mapping[int, Row],
    answered: Answered,
    vocabulary: Vocabulary,
    *,
    by_key_alone: bool,
) -> CheckedAnswer:
    """Check the answer about a table.

    Args:
        table: as it is in the book.
        offline: its rows as the rules make them, by ordinal.
        by_key_alone: whether the rules know no subject of the table, so that a condition may only need the row's key.
    """
    answer = answered.read_as(ModelTable)
    if isinstance(answer, str):
        return CheckedAnswer((answer,))
    rows = {row.ordinal: row for row in data_rows(reading)}
    problems = (
        *_wrong_columns(reading, answer, vocabulary),
        *_wrong_rows(rows, answer),
        *(
            problem
            for row in answer.rows
            if row.row in rows
            for problem in _wrong_row(table, reading, rows[row.row], row)
        ),
    )
    if problems:
        return CheckedAnswer(problems[:_SHOWN])
    by_column = sorted(answer.columns, key=lambda column: column.column)
    titles = {row.row: row.title for row in answer.rows}
    given = {row.row: row.query_must for row in answer.rows}
    predicates = believed_predicates(table, offline, titles, given, vocabulary, by_key_alone=by_key_alone)
    names = believed_names(table, offline, {row.row: row.names for row in answer.rows}, vocabulary)
    foreign = {
        row.row: foreign_numbers(row.description, _said_of(table, reading, rows[row.row])) for row in answer.rows
    }
    believed = {
        row.row: BelievedRow(
            row.title.strip(),
            None if foreign[row.row] or not row.description.strip() else row.description.strip(),
            names.kept[row.row],
            predicates.kept.get(row.row),
        )
        for row in answer.rows
    }
    dropped = (
        *(Dropped(table.id, ordinal, "query_must", why) for ordinal, why in predicates.dropped),
        *(Dropped(table.id, ordinal, "names", why) for ordinal, why in names.dropped),
        *(
            Dropped(table.id, ordinal, "description", f"it says {', '.join(sorted(numbers))}, which the row does not")
            for ordinal, numbers in foreign.items()
            if numbers
        ),
    )
    return CheckedAnswer((), tuple(tuple(column.path) for column in by_column), believed, dropped)


def _wrong_columns(reading: TableMeaning, answer: ModelTable, vocabulary: Vocabulary) -> Iterator[str]:
    numbers = sorted(column.column for column in answer.columns)
    if numbers != list(range(1, len(reading.columns) + 1)):
        yield f"columns are {numbers}, and the table has {len(reading.columns)}"
        return
    heads = [canonical_term(head, vocabulary) for head in reading.columns]
    on_axis = set(reading.axis.columns) if reading.axis else set()
    taken: set[tuple[str, ...]] = set()
    for column in answer.columns:
        own, path = reading.columns[column.column - 1], tuple(part.strip().casefold() for part in column.path)
        if not path or not all(path) or path in taken:
            yield f"column {column.column} has no name of its own: {column.path}"
        taken.add(path)
        terms, wanted = _numbers(" ".join(path)), _numbers(own)
        if terms != wanted if column.column - 1 in on_axis else terms - wanted:
            yield f"column {column.column} is {own!r} in the book and {column.path} in the answer"
        name, head = f" {canonical_term(' '.join(path), vocabulary)} ", heads[column.column - 1]
        others = [other for other in heads if other and other != head and f" {other} " in name and len(other) > 1]
        if others and f" {head} " not in name:
            yield f"column {column.column}, {own!r}, has the name of another column: {column.path}"


def _wrong_rows(rows: Mapping[int, ReadRow], answer: ModelTable) -> Iterator[str]:
    there = [row.row for row in answer.rows]
    if missing := sorted(set(rows) - set(there)):
        yield f"rows are missing: {', '.join(map(str, missing[:_SHOWN]))}"
    if extra := sorted({row for row in there if row not in rows or there.count(row) > 1}):
        yield f"rows are not in the table, or listed twice: {', '.join(map(str, extra[:_SHOWN]))}"


def _wrong_row(table: Table, reading: TableMeaning, row: ReadRow, answer: ModelRow) -> Iterator[str]:
    if len(answer.cells) != len(row.cells):
        yield f"row {answer.row} has {len(answer.cells)} cells, and {len(row.cells)} in the book"
        return
    for column, (theirs, cell) in enumerate(zip(answer.cells, row.cells, strict=True), start=1):
        if " ".join(theirs.split()) != " ".join(cell.split()):
            yield f"row {answer.row}, column {column} is {theirs!r:.60}, and {cell!r:.60} in the book"
    key = row_key(reading, row)
    if not f" {literal(answer.title)}".endswith(f" {literal(key)}"):
        yield f"the title of row {answer.row} does not end in its key {key!r:.60}: {answer.title!r:.100}"
    if foreign := foreign_numbers(answer.title, _said_of(table, reading, row)):
        yield f"the title of row {answer.row} says {', '.join(sorted(foreign))}, which the row does not"


def _said_of(table: Table, reading: TableMeaning, row: ReadRow) -> str:
    """Return all texts from which a row's title and description may take numbers."""
    about = (*table.heading_path, table.caption or "", table.about, table.purpose, row.label or "")
    return json.dumps([*about, *reading.columns, *row.cells, *table.rows[row.ordinal].notes], ensure_ascii=False)


def foreign_numbers(text: str, source: str) -> set[str]:
    """Return the numbers of a text that its source does not contain."""
    return _numbers(text) - _numbers(source)


def _numbers(text: str) -> set[str]:
    return set(_NUMBER.findall(text))
