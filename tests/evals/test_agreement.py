from __future__ import annotations

from dataclasses import replace

from evals.agreement import Agreement, agreement
from retrieval.ingest.chunking import chunks_of_book
from retrieval.query_must.vocabulary.vocabulary import Vocabulary
from retrieval.types import Book, Document

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


def test_rows_that_say_the_same_agree_on_every_question() -> None:
    same = agreement(CHUNKS, [replace(chunk, text="other words") for chunk in CHUNKS], TABLES, VOCABULARY)
    assert same.n_questions == same.n_agreed > 0
    assert same.share == 1.0


def test_a_row_that_no_longer_passes_is_seen_in_the_questions_about_it() -> None:
    hidden = [
        replace(chunk, query_must='{"contain": "never"}') if chunk.row_key == "mace" else chunk for chunk in CHUNKS
    ]
    found = agreement(CHUNKS, hidden, TABLES, VOCABULARY)
    assert found.n_agreed < found.n_questions
    open_ = [replace(chunk, query_must=None) for chunk in CHUNKS]
    assert agreement(CHUNKS, open_, TABLES, VOCABULARY).n_agreed < found.n_questions


def test_without_questions_there_is_no_share() -> None:
    assert agreement(CHUNKS, CHUNKS, (), VOCABULARY) == Agreement(0, 0)
    assert Agreement(0, 0).share is None
