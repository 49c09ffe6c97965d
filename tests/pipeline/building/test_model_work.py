from dataclasses import replace
from pathlib import Path

import pytest

from pipeline.building.model_work import (
    PASSAGE_OUTCOMES,
    PASSAGE_SAMPLE,
    TABLE_OUTCOMES,
    TABLE_SAMPLE,
    agreement,
    keep_passage_report,
    keep_table_report,
    make_chunks,
    make_rows,
    options_of,
    passage_sample,
    table_sample,
    told_work,
)
from retrieval.errors import UnreadableSettingsError
from retrieval.files.records import read_jsonl
from retrieval.home import Home
from retrieval.ingest.chunking import chunks_of_book
from retrieval.ingest.model_passages.describing import PassageOutcome
from retrieval.ingest.model_tables.transforming import TableOutcome
from retrieval.ingest.parsed_book import read_parsed_book
from retrieval.language.vocabulary import Vocabulary
from retrieval.models.access import Access
from retrieval.settings import PassagesSettings, Settings, TablesSettings
from retrieval.types import Book, Chunk, Document
from tests.openai_server.passage_model import describing
from tests.openai_server.server import FakeOpenAi
from tests.openai_server.table_model import reading_tables

BY_MODEL = Settings(tables=TablesSettings("model"))


def test_a_model_says_what_it_read_and_leaves_a_page_for_a_person(tiny: Home, chat_server: FakeOpenAi) -> None:
    access = Access.of_environment(chat_server.environment)
    chat_server.answering = reading_tables
    book = read_parsed_book(tiny.book("tiny") / "book.jsonl")
    made = make_rows(BY_MODEL, tiny.models, tiny.vocabulary, book, book.tables, access)
    assert (made.numbers["n_by_model"], made.numbers["agreement"]) == (1, 1.0)
    assert told_work(made.transformed, "read", "tables").startswith("; gpt-4o-mini read 1 tables; ")
    assert made.transformed is not None
    keep_table_report(tiny.book("tiny"), made.transformed)
    (outcome,) = read_jsonl(tiny.book("tiny") / TABLE_OUTCOMES, TableOutcome)
    assert (outcome.reason, outcome.n_answers) == ("", 1)
    page = (tiny.book("tiny") / TABLE_SAMPLE).read_text("utf-8")
    assert page == table_sample(made.transformed)
    assert made.rows[0].content in page
    assert made.transformed.offline[0].content in page
    keep_table_report(tiny.book("tiny"), None)
    assert not (tiny.book("tiny") / TABLE_OUTCOMES).exists()


def test_a_list_chooses_the_tables(tiny: Home, tmp_path: Path) -> None:
    (tmp_path / "list.md").write_text("- something else\n")
    chosen = replace(BY_MODEL, tables=replace(BY_MODEL.tables, table_list=str(tmp_path / "list.md")))
    book = read_parsed_book(tiny.book("tiny") / "book.jsonl")
    made = make_rows(chosen, tiny.models, tiny.vocabulary, book, book.tables, Access())
    assert made.numbers["n_left_to_rules"] == 0
    made = make_rows(BY_MODEL, tiny.models, tiny.vocabulary, book, book.tables, Access())
    assert (made.numbers["n_left_to_rules"], made.numbers["n_waiting"]) == (1, 1)
    assert "1 left to the rules (no key)" in told_work(made.transformed, "read", "tables")


def test_a_budget_needs_prices() -> None:
    tables = TablesSettings("model", "llama3")
    assert options_of(Settings(tables=tables)).price is None
    with pytest.raises(
        UnreadableSettingsError, match=r"price of 'llama3' is unknown, so a budget of \$2 cannot be enforced"
    ):
        options_of(Settings(budget_usd=2.0, tables=tables))
    own = replace(tables, usd_per_million_sent=0.0, usd_per_million_answered=0.0)
    assert options_of(Settings(budget_usd=2.0, tables=own)).budget_usd == 2.0
    assert options_of(Settings(budget_usd=2.0, tables=replace(own, budget_usd=0.5))).budget_usd == 0.5


def test_a_model_that_thinks_gets_the_room_that_the_settings_give_it() -> None:
    assert options_of(Settings(tables=TablesSettings("model", "o3", thinking_tokens=500))).thinking == 500
    with pytest.raises(UnreadableSettingsError, match=r"tables\.thinking_tokens is -1; write a whole number from 0"):
        TablesSettings(thinking_tokens=-1)


TEXT = """# Arms

## Weapons

| Weapon | Damage | Cost |
|---|---|---|
| dagger | 1d4 | 2 gp |
| mace | 1d6 | 5 gp |
| halberd | 1d10 | 8 gp |
"""
VOCABULARY = Vocabulary.default()
CHUNKS = chunks_of_book(Book("b", "B", (Document("b", "arms.md", TEXT),)), VOCABULARY)
TABLES = {chunk.table_id for chunk in CHUNKS if chunk.table_id}


def test_rows_agree_on_the_questions_for_which_the_same_of_them_pass() -> None:
    def share(**given: str | None) -> float | None:
        mace = [replace(chunk, **given) if chunk.row_key == "mace" else chunk for chunk in CHUNKS]
        return agreement(CHUNKS, mace, TABLES, VOCABULARY)

    assert share(text="other words") == 1.0
    assert 0 < (share(query_must='{"contain": "never"}') or 0) < 1
    assert agreement(CHUNKS, CHUNKS, (), VOCABULARY) is None


DESCRIBED_BY_MODEL = Settings(passages=PassagesSettings("model"))


def of_tiny(tiny: Home) -> tuple[Book, tuple[Chunk, ...]]:
    folder = tiny.book("tiny")
    (book,) = read_jsonl(folder / "book.jsonl", Book)
    return book, read_jsonl(folder / "chunks.jsonl", Chunk)


def test_a_model_says_what_it_did_and_leaves_a_page_for_a_person(tiny: Home, chat_server: FakeOpenAi) -> None:
    chat_server.answering = describing
    book, chunks = of_tiny(tiny)
    access = Access.of_environment(chat_server.environment)
    made = make_chunks(DESCRIBED_BY_MODEL, tiny.models, book.documents, chunks, access)
    assert (made.numbers["n_by_model"], made.numbers["kind_agreement"]) == (1, 0.0)
    assert str(made.numbers["enrichment"]).startswith("gpt-4o-mini, prompt passages-v1-")
    assert told_work(made.described, "described", "passages").startswith("; gpt-4o-mini described 1 passages; ")
    assert made.described is not None
    keep_passage_report(tiny.book("tiny"), made.described)
    (outcome,) = read_jsonl(tiny.book("tiny") / PASSAGE_OUTCOMES, PassageOutcome)
    assert (outcome.reason, outcome.n_answers) == ("", 1)
    page = (tiny.book("tiny") / PASSAGE_SAMPLE).read_text("utf-8")
    assert page == passage_sample(made.described)
    assert "- content_kind: rule; by the rules narrative" in page
    assert "- summary: Daggers are short and cheap. A; by the rules nothing" in page
    assert "> Daggers are short and cheap. A dagger is drawn in a moment." in page
    keep_passage_report(tiny.book("tiny"), None)
    assert not (tiny.book("tiny") / PASSAGE_OUTCOMES).exists()


def test_without_a_key_the_log_says_that_the_rules_did_it(tiny: Home) -> None:
    book, chunks = of_tiny(tiny)
    made = make_chunks(DESCRIBED_BY_MODEL, tiny.models, book.documents, chunks, Access())
    assert (made.chunks, made.numbers["n_waiting"]) == (chunks, 1)
    assert "1 left to the rules (no key)" in told_work(made.described, "described", "passages")
