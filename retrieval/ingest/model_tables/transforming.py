"""Tables read by a model, one request a table; whatever goes wrong, the rules' own rows are there."""

import asyncio
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from pathlib import Path

from retrieval.ingest.model_tables.asked_table import AskedTable
from retrieval.ingest.model_tables.asking import Asking
from retrieval.ingest.model_tables.batching import Batching
from retrieval.ingest.model_tables.model_rows import model_rows
from retrieval.ingest.model_tables.offline import OfflineTables
from retrieval.ingest.model_tables.outcome import Transformed
from retrieval.ingest.model_tables.request import prompt_version
from retrieval.ingest.tables.table import Table
from retrieval.models.access import Access
from retrieval.models.answer_cache import AnswerCache
from retrieval.models.chat import Asked
from retrieval.models.chat_prices import ChatPrice
from retrieval.models.openai_client import OpenAiClient
from retrieval.models.spending import Ledger, Spending
from retrieval.query_must.vocabulary.vocabulary import Vocabulary
from retrieval.types import Row


@dataclass(frozen=True, slots=True)
class ModelOptions:
    """Which model reads tables, and what it may cost."""

    model: str
    price: ChatPrice | None
    budget_usd: float | None = None
    """Dollars that all that was ever paid for in the folder of answers may cost."""
    tries: int = 2
    """How often a table is asked about until its answer can be used."""
    retries: int = 4
    """How often a request that failed for a passing reason is sent again."""
    timeout: float = 120.0
    """Seconds for one answer."""
    batch: bool = False
    """Whether tables are sent as one batch, which costs half and may take a day."""
    pause: float = 20.0
    """Seconds between two looks at a batch."""


class ModelTables:
    """Reads the tables of one book with a model.

    Args:
        access: key and address; without a key the rules make every row whose answer was not paid for before.
        folder: of the answers that were paid for, and of what was spent. One process writes there.
        options: the model and its limits.
    """

    def __init__(self, access: Access, folder: Path, options: ModelOptions) -> None:
        self._access, self._options = access, options
        self._cache = AnswerCache(folder, options.model, prompt_version())
        self._ledger = Ledger(folder)

    @property
    def prompt(self) -> str:
        """Version of the prompt."""
        return self._cache.prompt

    def transform(
        self, tables: Sequence[Table], vocabulary: Vocabulary, texts: Sequence[str], chosen: Collection[str]
    ) -> Transformed:
        """Every table as rows; the chosen ones (by id) in the model's words where its answer holds.

        An answer that was paid for is never asked for again. Nothing is sent that could pass the budget.

        Raises:
            ModelKeyError: the server refuses the key; answers that came before are kept.
        """
        offline = OfflineTables.of(tables, vocabulary, texts)
        asked = self._recalled(tables, offline, chosen)
        price, budget = self._options.price, self._options.budget_usd
        spending = Spending(price, self._ledger, budget)
        in_batch = Spending(price.in_batch if price else None, self._ledger, budget)
        if not self._access:
            for each in self._open(asked):
                each.reason, each.said = "no key", "there is no OPENAI_API_KEY"
        else:
            self._ask(asked, offline, spending, in_batch)
        by_table = {each.table.id: each for each in asked}
        return Transformed(
            rows=tuple(row for table in tables for row in _rows(table, by_table.get(table.id), offline)),
            offline=tuple(row for table in tables for row in offline.rows[table.id]),
            outcomes=tuple(each.outcome(offline) for each in asked),
            model=self._options.model,
            prompt=self._cache.prompt,
            used=spending.used + in_batch.used,
            usd=spending.usd + in_batch.usd if price else None,
            usd_in_all=self._ledger.usd,
        )

    def _ask(self, asked: Sequence[AskedTable], offline: OfflineTables, spending: Spending, in_batch: Spending) -> None:
        if not self._open(asked):
            return
        self._access.require(self._options.model, "let the rules read the tables")
        client = OpenAiClient(self._access, retries=self._options.retries, timeout=self._options.timeout)
        batching = Batching(self._cache, client, in_batch, self._options.pause)
        before = [each.times for each in asked]
        at_work = batching.take_up(wait=self._options.batch)
        self._recall(asked, offline)
        waiting = []
        for each in self._open(asked):
            if each.request and each.request.key in at_work:
                each.reason, each.said = "not reached", "it is in a batch that is at work"
            else:
                waiting.append(each)
        if self._options.batch:
            batching.send(waiting)
            self._recall(waiting, offline)
        for each, times in zip(asked, before, strict=True):
            each.answers = each.times - times
        if not self._options.batch:
            asking = Asking(offline, self._cache, self._options.tries)
            asyncio.run(asking.about(waiting, client, spending))

    def _recall(self, asked: Sequence[AskedTable], offline: OfflineTables) -> None:
        for each in asked:
            each.recall(self._cache, offline)

    def _open(self, asked: Sequence[AskedTable]) -> list[AskedTable]:
        return [each for each in asked if each.is_open(self._options.tries)]

    def unanswered(self, tables: Sequence[Table], vocabulary: Vocabulary, chosen: Collection[str]) -> tuple[Asked, ...]:
        """What `transform` would have to ask, each once; an answer that is of no use is asked for again."""
        asked = self._recalled(tables, OfflineTables.of(tables, vocabulary, ()), chosen)
        return tuple(each.request.asked(self._options.model) for each in self._open(asked) if each.request)

    def _recalled(self, tables: Sequence[Table], offline: OfflineTables, chosen: Collection[str]) -> list[AskedTable]:
        asked = [AskedTable.of(table, offline) for table in tables if table.id in chosen]
        self._recall(asked, offline)
        return asked


def _rows(table: Table, asked: AskedTable | None, offline: OfflineTables) -> tuple[Row, ...]:
    rows = offline.rows[table.id]
    if asked is None or asked.found is None:
        return rows
    strict = table.id in offline.strict.labels
    return model_rows(table, offline.readings[table.id], rows, asked.found, offline.vocabulary, strict=strict)
