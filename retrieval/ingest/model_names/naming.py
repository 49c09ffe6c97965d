"""Names of the rows of a table, requested from a model."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from pydantic import BaseModel, ConfigDict

from retrieval.ingest.model_tables.checking import BelievedNames, Dropped, believed_names
from retrieval.ingest.model_tables.request import MOST_ANSWERED, data_rows, request_of
from retrieval.ingest.model_tables.transforming import AnsweredTable, OfflineTables
from retrieval.ingest.tables.reading import TableMeaning
from retrieval.ingest.tables.table import Table
from retrieval.models.batching import Inquiry
from retrieval.models.chat import Answered, ChatRequest, prompt_words, versioned
from retrieval.types import Row


class NamedRow(BaseModel):
    """One row and what it is called."""

    model_config = ConfigDict(extra="forbid")
    row: int
    names: list[str]


class NamedRows(BaseModel):
    """The rows that have other names."""

    model_config = ConfigDict(extra="forbid")
    rows: list[NamedRow]


PROMPT_FILE = "prompt_v1.txt"
_PER_ROW, _PER_TABLE = 48, 64
"""Most tokens of an answer, for each row and for the table."""


def names_prompt_version() -> str:
    """Return the number of the prompt, and a hash of its words and of the form."""
    return f"names-{versioned(__package__, PROMPT_FILE, NamedRows)}"


@dataclass(frozen=True, slots=True)
class RowNames:
    """The question about row names, with the prompt of this package."""

    prompt: str = field(default_factory=names_prompt_version)

    def inquiry(self, table: Table, reading: TableMeaning, model: str) -> Inquiry:
        """Return the inquiry about a table that may be sent."""
        request = request_of(table, reading)
        most = min(_PER_TABLE + _PER_ROW * len(data_rows(reading)), MOST_ANSWERED)
        messages = (("system", prompt_words(__package__, PROMPT_FILE)), ("user", request.told))
        return Inquiry(request.key, ChatRequest(model, messages, most, form=NamedRows))

    def answer(self, table: Table, answered: Answered, offline: OfflineTables) -> AnsweredTable:
        """Return the rows with the accepted names."""
        answer = answered.read_as(NamedRows)
        if isinstance(answer, str):
            return AnsweredTable(problems=(answer,))
        rows = offline.rows[table.id]
        believed = _believed(table, rows, answer, offline)
        named = tuple(
            replace(row, names=tuple(dict.fromkeys((*row.names, *believed.kept.get(row.ordinal, ()))))) for row in rows
        )
        dropped = tuple(Dropped(table.id, ordinal, "names", why) for ordinal, why in believed.dropped)
        return AnsweredTable(named, dropped=dropped)


def _believed(table: Table, rows: Sequence[Row], answer: NamedRows, offline: OfflineTables) -> BelievedNames:
    own = {row.ordinal: row for row in rows}
    given = {row.row: row.names for row in answer.rows if row.row in own}
    return believed_names(table, own, given, offline.vocabulary)
