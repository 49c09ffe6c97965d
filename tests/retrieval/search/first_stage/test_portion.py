"""`default` over a part of a library, against `default` over all of it."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from retrieval.index.regions import regions
from retrieval.index.snapshot.snapshot import build_snapshot, open_snapshot
from retrieval.index.words.selection import Selection
from retrieval.query_must.vocabulary.vocabulary import Vocabulary
from retrieval.search.first_stage import own_vectors, portion
from retrieval.search.first_stage.stage import Passing
from retrieval.search.metadata_filter.filter import Eq
from retrieval.search.query import Query
from retrieval.search.retriever import Retriever
from retrieval.search.strategies import strategy
from retrieval.strategy import GraphBoost
from retrieval.types import Chunk, Retrieval
from tests.retrieval.index.conftest import ask_graphs
from tests.retrieval.search.conftest import ToyEmbedder, matrix_row

SUBJECTS = [a + b + c for a in ("bar", "mel", "tor", "vun") for b in ("do", "ga", "ri") for c in ("k", "l", "n", "sh")]
QUESTIONS = (
    "What does a bardok need to hit armor class 6?",
    "melgan against armor class -3",
    "level 1 of the vunrish, AC 2 and AC 4",
    "which attack matrix is for torgals",
    "combat",
    "zyzzyva",
)
FILTERS = (None, Eq("shelf", 3), Eq("half", 1))


def rows() -> Sequence[Chunk]:

    return [
        replace(
            row,
            query_must=row.query_must if place % 2 else None,
            metadata={"shelf": place // 5, "half": place % 2},
        )
        for place, subject in enumerate(SUBJECTS)
        for row in (matrix_row(subject, value) for value in range(-9, 11))
    ]


@pytest.fixture(scope="module")
def large(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Retriever]:
    """A library of 960 rows in 120 regions."""
    home, chunks = tmp_path_factory.mktemp("large"), rows()
    vectors = ToyEmbedder().embed([chunk.search_text for chunk in chunks])
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(regions, "UNDIVIDED", 0)
        patch.setattr(regions, "SIZE", 8)
        manifest = build_snapshot(home, chunks, vectors, ToyEmbedder.identity, Vocabulary.default())
    with open_snapshot(home, manifest.id) as snapshot:
        yield Retriever(snapshot, ToyEmbedder())


def hits(found: Retrieval) -> list[tuple[str, float]]:
    return [(hit.chunk.id, hit.score) for hit in found.hits]


@pytest.mark.parametrize("where", FILTERS, ids=["all", "few", "half"])
@pytest.mark.parametrize("question", QUESTIONS)
def test_a_portion_that_holds_every_word_is_ranked_as_the_whole(
    large: Retriever, question: str, where: Eq | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = large.retrieve(question, 12, where=where)
    monkeypatch.setattr(portion, "SCORED_WHOLE", 0)
    monkeypatch.setattr(portion, "NEAREST", 960)

    found = large.retrieve(question, 12, where=where)

    assert hits(found) == hits(whole)
    assert [hit.evidence for hit in found.hits] == [hit.evidence for hit in whole.hits]
    assert found.receipt.excluded == whole.receipt.excluded


def test_the_row_that_is_asked_for_is_found_in_a_small_part(large: Retriever, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in (("SCORED_WHOLE", 0), ("WORDED", 60), ("DEEP", 40), ("NEAREST", 10), ("FEW", 20), ("BEST", 30)):
        monkeypatch.setattr(portion, name, value)
    monkeypatch.setattr(own_vectors, "COMPARED", 100)
    for subject in ("bardok", "torgal", "vunrish"):
        question = Query.ask(f"What does a {subject} need to hit armor class 6?", large.snapshot.vocabulary)
        passing = Passing(large.admitted(question))
        vector, allowed = large.vector_of(question.text), passing.mask(large.snapshot)
        some = portion.looked_at(large.snapshot, question, vector, passing, allowed)

        assert f"{subject}-26" in [large.snapshot.chunks.id_at(int(each)) for each in some.positions]
        assert len(some) < len(large.snapshot) / 4
        assert large.retrieve(question.text, 5).hits[0].chunk.id == f"{subject}-26"


def test_a_stop_word_takes_no_place_of_a_word_that_is_looked_for(
    large: Retriever, monkeypatch: pytest.MonkeyPatch
) -> None:
    # All chunks say `for`, and as many `attack`; half as many would have room.
    for name, value in (("WORDED", 1000), ("DEEP", 960), ("NEAREST", 1), ("FEW", 0), ("BEST", 1)):
        monkeypatch.setattr(portion, name, value)
    snapshot = large.snapshot
    question = Query.ask("for a bardok", snapshot.vocabulary)
    some = portion.looked_at(snapshot, question, large.vector_of(question.text), Passing(), None)
    subjects = {snapshot.chunks[int(each)].table_id for each in some.positions}
    assert "bardok" in subjects
    assert len(some) <= 21, "twenty rows of its table, and the nearest"


def test_what_stands_beside_a_row_is_measured_against_the_same_best(
    large: Retriever, monkeypatch: pytest.MonkeyPatch
) -> None:
    snapshot = large.snapshot
    question = Query.ask("What does a bardok need to hit armor class 6?", snapshot.vocabulary)
    vector, inside = large.vector_of(question.text), Selection.of([np.arange(100)], len(snapshot))
    found = portion._legs(snapshot, question, vector, inside)
    assert found.portion is not None
    lexical = snapshot.lexical.scores(question.text)
    assert lexical.argmax() < 100, "what is looked at holds the best"
    beyond = np.asarray([500, 20, 900])
    assert found.portion.at(beyond)["lexical"] == pytest.approx(lexical[beyond] / lexical.max())


def test_of_rows_that_are_equally_good_the_nearest_are_looked_at(
    large: Retriever, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in (("DEEP", 30), ("NEAREST", 1), ("FEW", 0)):
        monkeypatch.setattr(portion, name, value)
    snapshot, question = large.snapshot, Query.ask("combat", large.snapshot.vocabulary)
    vector = large.vector_of(question.text)

    some = portion.looked_at(snapshot, question, vector, Passing(), None)

    lexical, cosines = snapshot.lexical.scores(question.text), np.vecdot(snapshot.vectors, vector)
    assert len(np.unique(lexical)) == 1
    assert set(np.argsort(-cosines, kind="stable")[:30].tolist()) <= set(some.positions.tolist())
    assert len(some) <= 31


def test_the_nearest_of_a_portion_are_asked_of_a_server_where_it_has_the_collections(
    chroma_server: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("QUERYMUST_CHROMA", chroma_server)
    chunks = rows()
    vectors = ToyEmbedder().embed([chunk.search_text for chunk in chunks])
    manifest = build_snapshot(tmp_path, chunks, vectors, ToyEmbedder.identity, Vocabulary.default())
    ask_graphs(tmp_path)
    with open_snapshot(tmp_path, manifest.id) as snapshot:
        there, text = Retriever(snapshot, ToyEmbedder()), "What does a torgal need to hit armor class 6?"
        whole = there.retrieve(text, 12)
        assert "collections" not in snapshot.__dict__
        monkeypatch.setattr(portion, "SCORED_WHOLE", 0)
        monkeypatch.setattr(portion, "NEAREST", 480)
        assert hits(there.retrieve(text, 12)) == hits(whole)
        assert "collections" in snapshot.__dict__


def test_where_a_portion_holds_too_few_the_whole_is_ranked(large: Retriever, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = large.retrieve("zyzzyva", 300)
    monkeypatch.setattr(portion, "SCORED_WHOLE", 0)
    monkeypatch.setattr(portion, "NEAREST", 20)
    assert hits(large.retrieve("zyzzyva", 300)) == hits(whole)
    assert len(whole.hits) == 300


def test_a_ranking_that_looks_around_or_leaves_nothing_out_sees_the_whole(large: Retriever) -> None:

    default = strategy("default")
    assert not portion.is_ranked_from_a_portion(large.snapshot, default)
    for other in (replace(default, graph=GraphBoost()), strategy("hybrid"), replace(default, exhaustive=True)):
        assert not portion.is_ranked_from_a_portion(large.snapshot, other)
