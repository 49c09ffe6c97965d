"""A library without collections is searched as one that has them."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from retrieval.index.chroma import soundness
from retrieval.index.snapshot.snapshot import build_snapshot, open_snapshot
from retrieval.language.vocabulary import Vocabulary
from retrieval.search.metadata_filter import Eq
from retrieval.search.retriever import Retriever
from retrieval.search.strategies import STRATEGIES, VARIANTS
from retrieval.types import Chunk, Retrieval
from tests.retrieval.search.conftest import ToyEmbedder

QUESTIONS = (
    "What does a cleric need to roll to hit armor class 6?",
    "a thief against AC -3 and AC 4",
    "armor class 2",
    "how much damage does a crossbow do",
    "dragon rope night tavern",
)
WITHOUT_A_MODEL = [name for name, each in {**STRATEGIES, **VARIANTS}.items() if each.order is None]


@pytest.fixture(scope="module")
def without(tmp_path_factory: pytest.TempPathFactory, library: tuple[Chunk, ...]) -> Iterator[Retriever]:
    home, vectors = tmp_path_factory.mktemp("without"), ToyEmbedder().embed([chunk.search_text for chunk in library])
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(soundness, "EMBEDDED_UP_TO", 0)
        made = build_snapshot(home, library, vectors, ToyEmbedder.identity, Vocabulary.default())
    with open_snapshot(home, made.id) as snapshot:
        yield Retriever(snapshot, ToyEmbedder())


def told(found: Retrieval) -> tuple[list[tuple[str, float]], object, int | None]:
    return [(hit.chunk.id, hit.score) for hit in found.hits], found.receipt.decisions, found.receipt.excluded


@pytest.mark.parametrize("where", [None, Eq("draft", True)], ids=["all", "some"])
@pytest.mark.parametrize("name", WITHOUT_A_MODEL)
def test_every_strategy_gives_the_same(retriever: Retriever, without: Retriever, name: str, where: Eq | None) -> None:
    assert not retriever.snapshot.scans
    for question in QUESTIONS:
        for k in (1, 5, 40):
            here, there = (each.retrieve(question, k, name, where=where) for each in (without, retriever))
            assert told(here) == told(there)


def test_one_asks_chroma_and_the_other_has_none(retriever: Retriever, without: Retriever, tmp_path: Path) -> None:
    for each in (retriever, without):
        assert each.retrieve(QUESTIONS[0], 5, "iterative").hits
    assert "collections" in retriever.snapshot.__dict__
    assert "collections" not in without.snapshot.__dict__
    assert not (without.snapshot.folder / "chroma").exists()
