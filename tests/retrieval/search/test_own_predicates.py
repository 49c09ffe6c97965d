"""Predicates that the owner of a book writes, in every way of searching."""

from collections.abc import Iterator
from dataclasses import replace

import pytest

from retrieval.ingest.chunking import chunk_book
from retrieval.ingest.parsed_book import parse_book
from retrieval.ingest.tables.row_predicates import extract_predicates
from retrieval.ingest.tables.rows import transform_tables
from retrieval.language.vocabulary import Vocabulary
from retrieval.search.retriever import Retriever
from retrieval.search.strategies import STRATEGIES
from retrieval.types import Book, Document, Find, TableRule
from tests.chunks import indexed
from tests.retrieval.search.conftest import ToyEmbedder

TEXT = """# Travel

## Movement

| Terrain | Miles per day |
|---|---|
| Forest | 12 |
| Swamp | 6 |
| Hills | 12 |
"""


@pytest.fixture(scope="module")
def retriever(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Retriever]:
    """Over a table of which one row asks for its own word, beside asking that no rival is named."""
    home, words = tmp_path_factory.mktemp("own"), Vocabulary.default()
    rule = TableRule(
        1, Find(heading="Movement"), names={"Swamp": ("bog",)}, row_query_must={"Forest": '{"contain": "forest"}'}
    )
    book = parse_book(Book("b", "B", (Document("b", "d.md", TEXT),), table_rules=(rule,)))
    chunks = chunk_book(book, extract_predicates(transform_tables(book.tables, words)))
    with indexed(home, chunks, ToyEmbedder(), words) as opened:
        yield opened


@pytest.mark.parametrize("strategy", ["default", "prefilter", "iterative"])
@pytest.mark.parametrize(
    ("question", "rows"),
    [
        ("How many miles per day?", ["Hills", "Swamp"]),
        ("How many miles per day in the forest?", ["Forest"]),
        ("How many miles per day in a bog?", ["Swamp"]),
        ("How many miles in the hills?", ["Hills"]),
    ],
)
def test_a_row_asks_for_its_word_and_stays_out_where_a_rival_is_named(retriever, strategy, question, rows):
    result = retriever.retrieve(question, 15, strategy)
    assert sorted(hit.chunk.row_key for hit in result.hits if hit.chunk.row_key) == rows


def test_without_the_filter_every_row_comes_back(retriever: Retriever) -> None:
    result = retriever.retrieve("miles in a bog", 15, replace(STRATEGIES["default"], query_must="off"))
    assert sorted(hit.chunk.row_key for hit in result.hits if hit.chunk.row_key) == ["Forest", "Hills", "Swamp"]
