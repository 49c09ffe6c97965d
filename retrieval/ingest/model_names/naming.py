"""Rows made by the rules, with further names that a model gives them; without an answer they stay as they are."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from retrieval.ingest.model_names.form import NamedRows
from retrieval.ingest.model_tables.believed_names import BelievedNames, believed_names
from retrieval.ingest.model_tables.checking import Dropped
from retrieval.ingest.model_tables.offline import OfflineTables
from retrieval.ingest.model_tables.outcome import Reason, TableOutcome, Transformed
from retrieval.ingest.model_tables.request import MOST_ANSWERED, data_rows, request_of, why_unsent
from retrieval.ingest.model_tables.transforming import ModelOptions
from retrieval.ingest.tables.row_object import subject
from retrieval.ingest.tables.table import Table
from retrieval.models.access import Access
from retrieval.models.chat import Answered, Asked
from retrieval.models.inquiries import Inquiries, Inquiry, Reply
from retrieval.models.prompts import prompt_words, versioned
from retrieval.query_must.vocabulary.vocabulary import Vocabulary
from retrieval.types import Row

PROMPT_FILE = "prompt_v1.txt"
_PER_ROW, _PER_TABLE = 48, 64
"""Tokens of an answer."""


def names_prompt_version() -> str:
    """The number of the prompt, and a hash of its words and of the form."""
    return f"names-{versioned(__package__, PROMPT_FILE, NamedRows)}"


@dataclass(frozen=True, slots=True)
class _Sent:
    """One chosen table."""

    table: Table
    inquiry: Inquiry | None
    """None: it is none for a model."""
    why: str = ""


class ModelNames:
    """Names the rows of one book with a model.

    Args:
        access: key and address; without a key rows get the names that were paid for before.
        folder: of the answers that were paid for, and of what was spent. One process writes there.
        options: the model and its limits.
    """

    def __init__(self, access: Access, folder: Path, options: ModelOptions) -> None:
        self._access, self._folder, self._options = access, folder, options

    @property
    def prompt(self) -> str:
        """Version of the prompt."""
        return names_prompt_version()

    def transform(
        self, tables: Sequence[Table], vocabulary: Vocabulary, texts: Sequence[str], chosen: Collection[str]
    ) -> Transformed:
        """Every table as the rules' rows; those of the chosen ones (by id) with the model's names that can be believed.

        Raises:
            ModelKeyError: the server refuses the key; answers that came before are kept.
        """
        offline, asking = OfflineTables.of(tables, vocabulary, texts), self._asking()
        sent = self._sent(tables, offline, chosen)
        wanted = [each.inquiry for each in sent if each.inquiry]
        replies = asking.ask(wanted, is_usable) if self._access else asking.kept(wanted)
        by_key = {inquiry.key: reply for inquiry, reply in zip(wanted, replies, strict=True)}
        rows, outcomes = dict(offline.rows), []
        for each in sent:
            reply = by_key[each.inquiry.key] if each.inquiry else None
            outcome, named = self._judged(each, reply, offline)
            outcomes.append(outcome)
            rows[each.table.id] = named
        return Transformed(
            rows=tuple(row for table in tables for row in rows[table.id]),
            offline=tuple(row for table in tables for row in offline.rows[table.id]),
            outcomes=tuple(outcomes),
            model=self._options.model,
            prompt=names_prompt_version(),
            used=asking.used,
            usd=asking.usd,
            usd_in_all=asking.usd_in_all,
        )

    def unanswered(self, tables: Sequence[Table], vocabulary: Vocabulary, chosen: Collection[str]) -> tuple[Asked, ...]:
        """What `transform` would have to ask, each once."""
        sent = self._sent(tables, OfflineTables.of(tables, vocabulary, ()), chosen)
        waiting = self._asking().unanswered([each.inquiry for each in sent if each.inquiry], is_usable)
        return tuple(each.asked for each in waiting)

    def _asking(self) -> Inquiries:
        said = self._options
        return Inquiries(
            self._access,
            self._folder,
            said.model,
            names_prompt_version(),
            said.price,
            said.budget_usd,
            tries=said.tries,
            retries=said.retries,
            timeout=said.timeout,
            otherwise="let the rules read the tables",
        )

    def _sent(self, tables: Sequence[Table], offline: OfflineTables, chosen: Collection[str]) -> list[_Sent]:
        return [_sent(table, offline, self._options.model) for table in tables if table.id in chosen]

    def _judged(self, each: _Sent, reply: Reply | None, offline: OfflineTables) -> tuple[TableOutcome, tuple[Row, ...]]:
        table, rows = each.table, offline.rows[each.table.id]
        reason: Reason = "not sent"
        said = each.why
        dropped: tuple[Dropped, ...] = ()
        answer = reply.answered.in_form(NamedRows) if reply and reply.answered else None
        if answer is not None:
            reason, said = "", ""
            found = _believed(table, rows, answer, offline)
            rows = tuple(
                replace(row, names=tuple(dict.fromkeys((*row.names, *found.kept.get(row.ordinal, ()))))) for row in rows
            )
            dropped = tuple(Dropped(table.id, ordinal, "names", why) for ordinal, why in found.dropped)
        elif reply is not None:
            reason, said = reply.reason or "refused or wrong", reply.why or "no answer could be used"
            if not self._access:
                reason, said = "no key", "there is no OPENAI_API_KEY"
        n_rows = len(data_rows(offline.readings[table.id]))
        n_answers = reply.n_paid if reply else 0
        outcome = TableOutcome(
            table.id, table.document, table.lines[0], subject(table), n_rows, reason, said, n_answers, dropped
        )
        return outcome, rows


def is_usable(answered: Answered) -> bool:
    """Whether an answer is whole and in the form."""
    return answered.in_form(NamedRows) is not None


def _sent(table: Table, offline: OfflineTables, model: str) -> _Sent:
    reading = offline.readings[table.id]
    if why := why_unsent(table, reading):
        return _Sent(table, None, why)
    request = request_of(table, reading)
    most = min(_PER_TABLE + _PER_ROW * len(data_rows(reading)), MOST_ANSWERED)
    messages = (("system", prompt_words(__package__, PROMPT_FILE)), ("user", request.told))
    return _Sent(table, Inquiry(request.key, Asked(model, messages, most, form=NamedRows)))


def _believed(table: Table, rows: Sequence[Row], answer: NamedRows, offline: OfflineTables) -> BelievedNames:
    own = {row.ordinal: row for row in rows}
    given = {each.row: each.names for each in answer.rows if each.row in own}
    return believed_names(table, own, given, offline.vocabulary)
