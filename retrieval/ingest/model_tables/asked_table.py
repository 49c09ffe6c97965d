"""One chosen table on its way: what was asked about it, what came back, and what of that can be used."""

from dataclasses import dataclass

from retrieval.ingest.model_tables.checking import Judged, judged
from retrieval.ingest.model_tables.offline import OfflineTables
from retrieval.ingest.model_tables.outcome import Reason, TableOutcome
from retrieval.ingest.model_tables.request import TableRequest, data_rows, request_of, why_unsent
from retrieval.ingest.tables.row_object import subject
from retrieval.ingest.tables.table import Table
from retrieval.models.answer_cache import AnswerCache, KeptAnswer
from retrieval.models.chat import Answered


@dataclass(slots=True)
class AskedTable:
    """What is known of it by now. Key: table.id."""

    table: Table
    request: TableRequest | None
    """None: it is none for a model."""
    reason: Reason
    said: str
    times: int = 0
    """Answers in all runs."""
    answers: int = 0
    """In this one."""
    found: Judged | None = None
    """The answer that is used."""

    @classmethod
    def of(cls, table: Table, offline: OfflineTables) -> "AskedTable":
        """A table before anything was asked."""
        reading = offline.readings[table.id]
        if why := why_unsent(table, reading):
            return cls(table, None, "not sent", why)
        return cls(table, request_of(table, reading), "not reached", "no answer came about it")

    def recall(self, cache: AnswerCache, offline: OfflineTables) -> None:
        """Take up the answer that was paid for before, if there is one."""
        kept = cache.get(self.request.key) if self.request else None
        if kept is not None:
            self.times = kept.times
            self._judge(kept.answered, offline)

    def answered(self, answered: Answered, cache: AnswerCache, offline: OfflineTables) -> None:
        """Keep an answer, and then judge it."""
        if self.request is not None:
            self.times, self.answers = self.times + 1, self.answers + 1
            cache.put(self.request.key, KeptAnswer(answered, self.times))
            self._judge(answered, offline)

    def is_open(self, tries: int) -> bool:
        """Whether it can still be asked about."""
        return self.request is not None and self.found is None and self.times < tries

    def outcome(self, offline: OfflineTables) -> TableOutcome:
        """What became of it."""
        table = self.table
        return TableOutcome(
            table_id=table.id,
            document=table.document,
            line=table.lines[0],
            title=subject(table),
            n_rows=len(data_rows(offline.readings[table.id])),
            reason=self.reason,
            said=self.said,
            n_answers=self.answers,
            dropped=self.found.dropped if self.found else (),
        )

    def _judge(self, answered: Answered, offline: OfflineTables) -> None:
        found = judged(
            self.table,
            offline.readings[self.table.id],
            {row.ordinal: row for row in offline.rows[self.table.id]},
            answered,
            offline.vocabulary,
            by_key_alone=not offline.strict.subjects.get(self.table.id),
        )
        self.found = None if found.problems else found
        self.reason, self.said = ("refused or wrong", "; ".join(found.problems)) if found.problems else ("", "")
