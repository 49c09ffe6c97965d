from __future__ import annotations

from collections.abc import Callable

from retrieval.ingest.model_tables.estimate import Estimate
from retrieval.ingest.model_tables.transforming import ModelTables
from retrieval.ingest.tables.table import Table
from retrieval.models.chat_prices import chat_price
from retrieval.query_must.vocabulary.vocabulary import Vocabulary
from tests.openai_server.server import FakeOpenAi
from tests.openai_server.table_model import reading_tables

from .conftest import BOOK, MODEL


def test_the_most_it_may_cost_is_more_than_it_does_and_what_is_kept_costs_nothing(
    chat_server: FakeOpenAi, models: Callable[..., ModelTables], tables: tuple[Table, ...]
) -> None:
    chat_server.answering = reading_tables
    price, chosen, words = chat_price(MODEL), {table.id for table in tables}, Vocabulary.default()
    before = Estimate.of(models().unanswered(tables, words, chosen), MODEL, price)
    done = models().transform(tables, words, [BOOK], chosen)
    assert before.n_tables == 2
    assert done.used.prompt <= before.likely.prompt < before.most.prompt
    assert done.used.completion < before.most.completion
    assert (done.usd or 0) < (before.most_usd or 0)
    assert str(before).startswith("2 tables to send: about ")
    assert "with gpt-4o-mini (prices of 20" in str(before)
    after = Estimate.of(models().unanswered(tables, words, chosen), MODEL, price)
    assert (after.n_tables, after.most_usd) == (0, 0.0)
    assert "nobody here knows the prices" in str(Estimate.of((), "llama3", None))
