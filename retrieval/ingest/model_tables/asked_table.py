"""One chosen table: what a model is asked about it, and what its answer makes of the rows."""

from dataclasses import dataclass, field
from typing import Protocol

from retrieval.ingest.model_tables.checking import Dropped
from retrieval.ingest.model_tables.offline import OfflineTables
from retrieval.ingest.model_tables.outcome import Reason, TableOutcome
from retrieval.ingest.model_tables.request import data_rows, why_unsent
from retrieval.ingest.tables.reading import Reading
from retrieval.ingest.tables.row_object import subject
from retrieval.ingest.tables.table import Table
from retrieval.models.chat import Answered
from retrieval.models.inquiry import Inquiry, Reply
from retrieval.types import Row


@dataclass(frozen=True, slots=True)
class AnsweredTable:
    """The rows of a table after an answer. Where there are problems nothing of it is used."""

    rows: tuple[Row, ...] = ()
    problems: tuple[str, ...] = ()
    dropped: tuple[Dropped, ...] = ()


class TableQuestion(Protocol):
    """What is asked about a table."""

    @property
    def prompt(self) -> str:
        """Version of the prompt."""

    def inquiry(self, table: Table, reading: Reading, model: str) -> Inquiry:
        """The request about a table that can be sent."""

    def answer(self, table: Table, answered: Answered, offline: OfflineTables) -> AnsweredTable:
        """What an answer makes of the table."""


@dataclass(slots=True)
class AskedTable:
    """A table with its request. Key: table.id."""

    table: Table
    question: TableQuestion
    offline: OfflineTables
    inquiry: Inquiry | None
    """None: it is none for a model."""
    why: str = ""
    """Why it is none."""
    _last: tuple[Answered, AnsweredTable] | None = field(default=None, repr=False)

    @classmethod
    def of(cls, table: Table, question: TableQuestion, offline: OfflineTables, model: str) -> "AskedTable":
        """A table before anything was asked."""
        reading = offline.readings[table.id]
        if why := why_unsent(table, reading):
            return cls(table, question, offline, None, why)
        return cls(table, question, offline, question.inquiry(table, reading, model))

    def after(self, answered: Answered) -> AnsweredTable:
        """What an answer makes of it; the same one is judged once."""
        if self._last is None or self._last[0] != answered:
            self._last = answered, self.question.answer(self.table, answered, self.offline)
        return self._last[1]

    def end(self, reply: Reply | None) -> tuple[tuple[Row, ...], TableOutcome]:
        """Its rows and what became of it, once everything was asked. No reply: nothing was asked about it."""
        found = self.after(reply.answered) if reply and reply.answered else None
        reason, said = self._why_not(reply, found)
        used = found if found and not reason else AnsweredTable(self.offline.rows[self.table.id])
        outcome = TableOutcome(
            table_id=self.table.id,
            document=self.table.document,
            line=self.table.lines[0],
            title=subject(self.table),
            n_rows=len(data_rows(self.offline.readings[self.table.id])),
            reason=reason,
            said=said,
            n_answers=reply.n_paid if reply else 0,
            dropped=used.dropped,
        )
        return used.rows, outcome

    def _why_not(self, reply: Reply | None, found: AnsweredTable | None) -> tuple[Reason, str]:
        """Why the rules make the rows, in short and in words; empty where the model does."""
        if reply is None:
            return "not sent", self.why
        if found is not None and not found.problems:
            return "", ""
        if found is None or reply.reason:
            return reply.reason or "not reached", reply.why
        return "refused or wrong", "; ".join(found.problems)
