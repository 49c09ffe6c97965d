"""The candidate beside what is live."""

from dataclasses import replace
from pathlib import Path

import pytest

from evals.evaluation import evaluation_of
from evals.showing.since_live import live_scores, since_live
from retrieval.home import Home
from retrieval.index.embedding.embedders import load_embedder
from retrieval.index.embedding.embedding_text import embedding_text
from retrieval.index.snapshot.snapshot import build_snapshot, open_snapshot
from retrieval.query_must.vocabulary.vocabulary import Vocabulary
from retrieval.search.strategies import STRATEGIES


def test_what_is_live_differs_in_nothing_from_itself(sample: Home) -> None:
    found = since_live(sample, evaluation_of(sample, sample.candidate, *STRATEGIES.values()))
    assert list(found) == list(STRATEGIES)
    assert {each.delta for each in found.values()} == {0.0}
    assert {each.n for each in found.values()} == {102}


def test_a_candidate_that_finds_nothing_is_below_live(sample_copy: Home, few_questions: Path) -> None:
    home = replace(sample_copy, settings=replace(sample_copy.settings, questions=(few_questions,)))
    asked = (STRATEGIES["bm25"], STRATEGIES["default"])
    live = evaluation_of(home, home.candidate, *asked)
    with open_snapshot(home.root) as snapshot:
        chunks = [replace(chunk, search_text=chunk.id, names=()) for chunk in snapshot.chunks]
    embedder = load_embedder(home.settings.embedder)
    vectors = embedder.embed([embedding_text(chunk) for chunk in chunks])
    home.nominate(build_snapshot(home.root, chunks, vectors, embedder.identity, Vocabulary.default()).id)
    found = since_live(home, evaluation_of(home, home.candidate, *asked))
    assert list(found) == ["bm25", "default"]
    assert found["default"].live == pytest.approx(live.headline()["default"]["mrr"])
    assert all(each.delta < -0.1 for each in found.values())


def test_where_nothing_is_live_there_is_nothing_to_compare(sample_copy: Home) -> None:
    (sample_copy.root / "live").unlink()
    assert live_scores(sample_copy).evaluation is None
    assert since_live(sample_copy, evaluation_of(sample_copy, sample_copy.candidate, STRATEGIES["default"])) == {}
