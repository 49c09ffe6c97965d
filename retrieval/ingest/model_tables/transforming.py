"""Tables read by a model, one request a table; whatever goes wrong, the rules' own rows are there."""

from collections import defaultdict
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from retrieval.ingest.model_tables.asked_table import AskedTable, TableQuestion
from retrieval.ingest.model_tables.offline import OfflineTables
from retrieval.ingest.model_tables.outcome import Transformed
from retrieval.ingest.model_tables.whole_rows import WholeRows
from retrieval.ingest.tables.table import Table
from retrieval.models.access import Access
from retrieval.models.chat import Answered, Asked
from retrieval.models.inquiries import Inquiries
from retrieval.models.inquiry import Inquiry
from retrieval.models.options import ModelOptions
from retrieval.query_must.vocabulary.vocabulary import Vocabulary


@dataclass(frozen=True, slots=True)
class ModelTables:
    """Reads the tables of books with a model.

    Args:
        access: key and address; without a key the rules make every row whose answer was not paid for before.
        folder: of the answers that were paid for, and of what was spent. One process writes there.
        options: the model and its limits.
        question: what is asked about each table.
    """

    access: Access
    folder: Path
    options: ModelOptions
    question: TableQuestion = field(default_factory=WholeRows)

    def transform(
        self, tables: Sequence[Table], vocabulary: Vocabulary, texts: Sequence[str], chosen: Collection[str]
    ) -> Transformed:
        """Every table of one book as rows; the chosen ones (by id) in the model's words where its answer holds.

        An answer that was paid for is never asked for again. Nothing is sent that could pass the budget.

        Raises:
            ModelKeyError: the server refuses the key; answers that came before are kept.
        """
        offline = OfflineTables.of(tables, vocabulary, texts)
        asked, asking = self._asked(tables, offline, chosen), self._inquiries()
        wanted = [each.inquiry for each in asked if each.inquiry]
        ask = asking.ask if self.access else asking.kept
        replies = {each.key: reply for each, reply in zip(wanted, ask(wanted, _Usable(asked)), strict=True)}
        rows, outcomes = dict(offline.rows), []
        for each in asked:
            rows[each.table.id], outcome = each.end(replies[each.inquiry.key] if each.inquiry else None)
            outcomes.append(outcome)
        return Transformed(
            rows=tuple(row for table in tables for row in rows[table.id]),
            offline=tuple(row for table in tables for row in offline.rows[table.id]),
            outcomes=tuple(outcomes),
            bill=asking.bill,
        )

    def unanswered(self, tables: Sequence[Table], vocabulary: Vocabulary, chosen: Collection[str]) -> tuple[Asked, ...]:
        """What `transform` would have to ask, each once; an answer that is of no use is asked for again."""
        asked = self._asked(tables, OfflineTables.of(tables, vocabulary, ()), chosen)
        wanted = [each.inquiry for each in asked if each.inquiry]
        return tuple(each.asked for each in self._inquiries().unanswered(wanted, _Usable(asked)))

    def _inquiries(self) -> Inquiries:
        otherwise = "let the rules read the tables"
        return Inquiries(self.access, self.folder, self.options, self.question.prompt, otherwise=otherwise)

    def _asked(self, tables: Sequence[Table], offline: OfflineTables, chosen: Collection[str]) -> list[AskedTable]:
        found = (table for table in tables if table.id in chosen)
        return [AskedTable.of(table, self.question, offline, self.options.model) for table in found]


class _Usable:
    """An answer is of use if every table that it was asked about can use it; a book may have one twice."""

    def __init__(self, asked: Sequence[AskedTable]) -> None:
        self._by_key: dict[str, list[AskedTable]] = defaultdict(list)
        for each in asked:
            if each.inquiry:
                self._by_key[each.inquiry.key].append(each)

    def __call__(self, inquiry: Inquiry, answered: Answered) -> bool:
        return not any(each.after(answered).problems for each in self._by_key[inquiry.key])
