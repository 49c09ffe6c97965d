"""Tables read by a model, one request each; if that fails, the rules' rows are kept."""

import json
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Literal, Protocol

from retrieval.ingest.model_tables.checking import BelievedRow, CheckedAnswer, Dropped, judged
from retrieval.ingest.model_tables.request import data_rows, prompt_version, request_of, why_unsent
from retrieval.ingest.tables.reading import TableMeaning, read_table, why_unkeyed
from retrieval.ingest.tables.row_object import RESERVED, Json, subject, to_text
from retrieval.ingest.tables.row_predicates import StrictTables
from retrieval.ingest.tables.rows import transform_tables
from retrieval.ingest.tables.table import Table
from retrieval.language.canonical import canonical
from retrieval.language.numbers.cells import parse_range, typed
from retrieval.language.vocabulary import Vocabulary
from retrieval.models.access import Access
from retrieval.models.batching import Inquiry, Reply
from retrieval.models.batching import Reason as Waiting
from retrieval.models.chat import Answered, ChatRequest
from retrieval.models.inquiries import Inquiries
from retrieval.models.spending import Bill, ModelOptions
from retrieval.query_must.operators import NO_RIVAL
from retrieval.query_must.predicate import satisfies_query_must
from retrieval.types import Row

Reason = Waiting | Literal["not sent", "refused or wrong"]
"""Why the rules made the rows; empty if the model did."""
_FOR_GOOD: frozenset[Reason] = frozenset({"", "not sent", "refused or wrong"})


def is_waiting(reason: Reason) -> bool:
    """Whether the reason is temporary, so that a later run may succeed."""
    return reason not in _FOR_GOOD


@dataclass(frozen=True, slots=True)
class TableOutcome:
    """The result for one chosen table. Key: table_id."""

    table_id: str
    document: str
    line: int
    """1-based, in the document's text."""
    title: str
    n_rows: int
    reason: Reason
    said: str
    """The reason in words."""
    n_answers: int
    """Answers that were paid for in this run; 0 if an earlier run paid."""
    dropped: tuple[Dropped, ...] = ()

    @property
    def by_model(self) -> bool:
        """Whether the model made the rows."""
        return not self.reason


@dataclass(frozen=True, slots=True)
class Transformed:
    """The rows of a book, and their origin."""

    rows: tuple[Row, ...]
    """The rows of all its tables, in their order."""
    offline: tuple[Row, ...]
    """The rows as the rules alone make them."""
    outcomes: tuple[TableOutcome, ...]
    """The outcomes of the chosen tables, in their order."""
    bill: Bill

    @property
    def by_model(self) -> frozenset[str]:
        """Ids of the tables whose rows the model made."""
        return frozenset(outcome.table_id for outcome in self.outcomes if outcome.by_model)

    @property
    def n_waiting(self) -> int:
        """Number of tables that the rules read and that a later run may send."""
        return sum(is_waiting(outcome.reason) for outcome in self.outcomes)

    @property
    def dropped(self) -> tuple[Dropped, ...]:
        """All rejected parts of answers that were used."""
        return tuple(part for outcome in self.outcomes for part in outcome.dropped)


class Ended(Protocol):
    """The outcome of an inquiry."""

    @property
    def reason(self) -> Reason:
        """Why the rules did the work; empty if the model did."""


def reasons(outcomes: Iterable[Ended]) -> dict[str, int]:
    """Return, for each reason, how many were left to the rules."""
    return dict(Counter(outcome.reason for outcome in outcomes if outcome.reason))


@dataclass(frozen=True, slots=True)
class OfflineTables:
    """The rules' readings and rows by table id."""

    vocabulary: Vocabulary
    readings: Mapping[str, TableMeaning]
    rows: Mapping[str, tuple[Row, ...]]
    """The rows of each table, in its order; `query_must` is still in their content."""
    strict: StrictTables

    @classmethod
    def of(cls, tables: Sequence[Table], vocabulary: Vocabulary, texts: Sequence[str]) -> "OfflineTables":
        """Read all tables of one book; `texts` are the texts of its documents."""
        readings = {table.id: read_table(table) for table in tables}
        rows: dict[str, list[Row]] = defaultdict(list)
        for row in transform_tables(tables, vocabulary, texts):
            rows[row.table_id].append(row)
        strict = StrictTables.find(tables, list(map(readings.__getitem__, (table.id for table in tables))), vocabulary)
        return cls(vocabulary, readings, {table.id: tuple(rows[table.id]) for table in tables}, strict)


@dataclass(frozen=True, slots=True)
class AnsweredTable:
    """The rows of a table after an answer. If there are problems, nothing of it is used."""

    rows: tuple[Row, ...] = ()
    problems: tuple[str, ...] = ()
    dropped: tuple[Dropped, ...] = ()


class TableQuestion(Protocol):
    """A kind of question about tables."""

    @property
    def prompt(self) -> str:
        """Version of the prompt."""

    def inquiry(self, table: Table, reading: TableMeaning, model: str) -> Inquiry:
        """Return the inquiry about a table that may be sent."""

    def answer(self, table: Table, answered: Answered, offline: OfflineTables) -> AnsweredTable:
        """Return the rows of the table according to an answer."""


@dataclass(slots=True)
class AskedTable:
    """A table with its request. Key: table.id."""

    table: Table
    question: TableQuestion
    offline: OfflineTables
    inquiry: Inquiry | None
    """None if the table is not sent to a model."""
    why: str = ""
    """Why it is not sent."""
    _last: tuple[Answered, AnsweredTable] | None = field(default=None, repr=False)

    @classmethod
    def of(cls, table: Table, question: TableQuestion, offline: OfflineTables, model: str) -> "AskedTable":
        """Return a table before any request."""
        reading = offline.readings[table.id]
        if why := why_unsent(table, reading):
            return cls(table, question, offline, None, why)
        return cls(table, question, offline, question.inquiry(table, reading, model))

    def after(self, answered: Answered) -> AnsweredTable:
        """Return the table's rows according to an answer; the same answer is checked only once."""
        if self._last is None or self._last[0] != answered:
            self._last = answered, self.question.answer(self.table, answered, self.offline)
        return self._last[1]

    def end(self, reply: Reply | None) -> tuple[tuple[Row, ...], TableOutcome]:
        """Return the table's rows and outcome after all requests. None as reply: nothing was asked about it."""
        answered_table = self.after(reply.answered) if reply and reply.answered else None
        reason, why = self._why_not(reply, answered_table)
        used = answered_table if answered_table and not reason else AnsweredTable(self.offline.rows[self.table.id])
        outcome = TableOutcome(
            table_id=self.table.id,
            document=self.table.document,
            line=self.table.lines[0],
            title=subject(self.table),
            n_rows=len(data_rows(self.offline.readings[self.table.id])),
            reason=reason,
            said=why,
            n_answers=reply.n_paid if reply else 0,
            dropped=used.dropped,
        )
        return used.rows, outcome

    def _why_not(self, reply: Reply | None, answered_table: AnsweredTable | None) -> tuple[Reason, str]:
        """Return why the rules make the rows, as a reason and in words; empty if the model does."""
        if reply is None:
            return "not sent", self.why
        if answered_table is not None and not answered_table.problems:
            return "", ""
        if answered_table is None or reply.reason:
            return reply.reason or "not reached", reply.why
        return "refused or wrong", "; ".join(answered_table.problems)


def model_rows(
    table: Table,
    reading: TableMeaning,
    offline: Sequence[Row],
    checked: CheckedAnswer,
    vocabulary: Vocabulary,
    *,
    strict: bool,
) -> tuple[Row, ...]:
    """Return the rules' rows, with the accepted parts of the model's answer where it was asked.

    Args:
        table: of the rows.
        offline: every row as the rules make it; `query_must` is still in its content.
        checked: the checked answer, without problems.
        strict: whether the rules give the table's rows conditions. If the model has a condition for any row, rows
            without one pass always; if it has none at all, the rules' conditions are kept.
    """
    named = [
        replace(row, names=tuple(dict.fromkeys((*row.names, *checked.rows[row.ordinal].names))))
        if row.ordinal in checked.rows
        else row
        for row in offline
    ]
    names = {row.ordinal: row.names for row in named}
    keyed = not strict and why_unkeyed(reading, names, vocabulary) is None
    conditions = any(row.query_must for row in checked.rows.values()) or any(
        part.part == "query_must" for part in checked.dropped
    )
    ruled = strict and not conditions
    return tuple(
        _row(table, reading, row, checked.rows[row.ordinal], checked.paths, vocabulary, keyed=keyed, ruled=ruled)
        if row.ordinal in checked.rows
        else row
        for row in named
    )


def _row(
    table: Table,
    reading: TableMeaning,
    row: Row,
    believed: BelievedRow,
    paths: Sequence[tuple[str, ...]],
    vocabulary: Vocabulary,
    *,
    keyed: bool,
    ruled: bool,
) -> Row:
    """Return the row; if the model's title does not meet the row's condition, the rules' title is used."""
    before: Json = json.loads(row.content)
    condition = _condition(table, row, before, believed, keyed=keyed, ruled=ruled)
    holds = not condition or satisfies_query_must(canonical(believed.title, vocabulary), json.dumps(condition))
    content: Json = {
        "title": believed.title if holds else before["title"],
        "description": believed.description or before["description"],
    }
    places = dict(zip(reading.axis.columns, reading.axis.places, strict=True)) if reading.axis else {}
    for column, (path, cell) in enumerate(zip(paths, row.cells, strict=True)):
        if cell.strip():
            for names in _spelled(path, places.get(column)):
                _put(content, names, typed(cell))
    if row.notes:
        _put(content, ("notes",), row.notes[0] if len(row.notes) == 1 else list(row.notes))
    if condition:
        content["query_must"] = condition
    return replace(row, content=to_text(content))


def _condition(table: Table, row: Row, before: Json, believed: BelievedRow, *, keyed: bool, ruled: bool) -> Json:
    """Return the condition of the book's owner, or else the model's, or else that no rival is named."""
    if ruled or (table.rule and (table.rule.open or table.rule.predicate_of(row.key))):
        own = before.get("query_must")
        return own if isinstance(own, dict) else {}
    if believed.query_must:
        condition: Json = json.loads(believed.query_must)
        return condition
    return {NO_RIVAL: {"table": table.id, "row": row.ordinal}} if keyed else {}


def _spelled(path: tuple[str, ...], axis_value: str | None) -> tuple[tuple[str, ...], ...]:
    """Return the path; for a range on the second axis, one path for each of its numbers, under its group."""
    spread = parse_range(axis_value) if axis_value is not None else None
    if spread is None or len(spread.values) < 2 or len(path) < 2:
        return (path,)
    return tuple((*path[:-1], str(value)) for value in spread.values)


def _put(content: Json, path: Sequence[str], value: object) -> None:
    """Set a value under nested names; if the name is taken, the new value gets a numbered name."""
    inner: dict[str, object] = content  # type: ignore[assignment]
    *groups, last = (f"{name} value" if at == 0 and name in RESERVED else name for at, name in enumerate(path))
    for name in groups:
        nested = inner.setdefault(name, {})
        while not isinstance(nested, dict):
            name = f"{name} group"  # noqa: PLW2901
            nested = inner.setdefault(name, {})
        inner = nested
    free, count = last, 1
    while free in inner:
        count += 1
        free = f"{last} ({count})"
    inner[free] = value


@dataclass(frozen=True, slots=True)
class WholeRows:
    """The question about whole rows, with the prompt of this package."""

    prompt: str = field(default_factory=prompt_version)

    def inquiry(self, table: Table, reading: TableMeaning, model: str) -> Inquiry:
        """Return the inquiry about a table that may be sent."""
        request = request_of(table, reading)
        return Inquiry(request.key, request.chat_request(model))

    def answer(self, table: Table, answered: Answered, offline: OfflineTables) -> AnsweredTable:
        """Return the rows according to an answer, unless it has problems."""
        reading, rows = offline.readings[table.id], offline.rows[table.id]
        checked = judged(
            table,
            reading,
            {row.ordinal: row for row in rows},
            answered,
            offline.vocabulary,
            by_key_alone=not offline.strict.subjects.get(table.id),
        )
        if checked.problems:
            return AnsweredTable(problems=checked.problems)
        strict = table.id in offline.strict.labels
        made = model_rows(table, reading, rows, checked, offline.vocabulary, strict=strict)
        retitled = tuple(
            Dropped(table.id, row.ordinal, "title", f"{believed_row.title!r:.100} does not meet the row's condition")
            for row in made
            if (believed_row := checked.rows.get(row.ordinal))
            and json.loads(row.content)["title"] != believed_row.title
        )
        return AnsweredTable(made, dropped=(*checked.dropped, *retitled))


@dataclass(frozen=True, slots=True)
class ModelTables:
    """Reads the tables of books with a model.

    Args:
        access: key and address; without a key, the rules make every row for which no answer is stored.
        folder: of the answers that were paid for, and of the record of spending. Only one process may write there.
        question: what is asked about each table.
    """

    access: Access
    folder: Path
    options: ModelOptions
    question: TableQuestion = field(default_factory=WholeRows)

    def transform(
        self, tables: Sequence[Table], vocabulary: Vocabulary, texts: Sequence[str], chosen: Collection[str]
    ) -> Transformed:
        """Return every table of one book as rows; those chosen by id are made by the model if its answer is accepted.

        An answer that was paid for is never requested again. No request is sent that could exceed the budget.

        Raises:
            ModelKeyError: the server refuses the key; earlier answers are kept.
        """
        offline = OfflineTables.of(tables, vocabulary, texts)
        asked_tables, asking = self._asked_tables(tables, offline, chosen), self._inquiries()
        wanted = [asked_table.inquiry for asked_table in asked_tables if asked_table.inquiry]
        ask = asking.ask if self.access else asking.kept
        replies = {
            inquiry.key: reply for inquiry, reply in zip(wanted, ask(wanted, _Usable(asked_tables)), strict=True)
        }
        rows, outcomes = dict(offline.rows), []
        for asked_table in asked_tables:
            rows[asked_table.table.id], outcome = asked_table.end(
                replies[asked_table.inquiry.key] if asked_table.inquiry else None
            )
            outcomes.append(outcome)
        return Transformed(
            rows=tuple(row for table in tables for row in rows[table.id]),
            offline=tuple(row for table in tables for row in offline.rows[table.id]),
            outcomes=tuple(outcomes),
            bill=asking.bill,
        )

    def unanswered(
        self, tables: Sequence[Table], vocabulary: Vocabulary, chosen: Collection[str]
    ) -> tuple[ChatRequest, ...]:
        """Return the requests that `transform` would have to send, each once; unusable answers are requested again."""
        asked_tables = self._asked_tables(tables, OfflineTables.of(tables, vocabulary, ()), chosen)
        wanted = [asked_table.inquiry for asked_table in asked_tables if asked_table.inquiry]
        return tuple(inquiry.request for inquiry in self._inquiries().unanswered(wanted, _Usable(asked_tables)))

    def _inquiries(self) -> Inquiries:
        otherwise = "let the rules read the tables"
        return Inquiries(self.access, self.folder, self.options, self.question.prompt, otherwise=otherwise)

    def _asked_tables(
        self, tables: Sequence[Table], offline: OfflineTables, chosen: Collection[str]
    ) -> list[AskedTable]:
        chosen_tables = (table for table in tables if table.id in chosen)
        return [AskedTable.of(table, self.question, offline, self.options.model) for table in chosen_tables]


class _Usable:
    """Whether all tables with the same inquiry can use an answer; a book may contain a table twice."""

    def __init__(self, asked_tables: Sequence[AskedTable]) -> None:
        self._by_key: dict[str, list[AskedTable]] = defaultdict(list)
        for asked_table in asked_tables:
            if asked_table.inquiry:
                self._by_key[asked_table.inquiry.key].append(asked_table)

    def __call__(self, inquiry: Inquiry, answered: Answered) -> bool:
        return not any(asked_table.after(answered).problems for asked_table in self._by_key[inquiry.key])
