"""Totals that leave out the cosines of chunks without hope, against totals that leave out nothing."""

import numpy as np
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from retrieval.index.snapshot.snapshot import Snapshot
from retrieval.search.evidence import WEIGHTS, Cosines, Evidence, gather, similarity
from retrieval.search.fusion import best
from retrieval.search.query import Query
from retrieval.search.retriever import Retriever
from retrieval.strategy import EvidenceWeights

WORDS = ["cleric", "AC 6", "armor class -2", "level", "dragon", "weapons", "hit", "dagger", "xyz", "price"]
QUESTION = st.lists(st.sampled_from(WORDS), min_size=1, max_size=6).map(" ".join)
PART = st.floats(0, 4)
WEIGHT = st.builds(EvidenceWeights, lexical=PART, dense=PART, head=PART, number=PART, name=PART, text=PART)


def evidence(retriever: Retriever, text: str) -> Evidence:
    snapshot = retriever.snapshot
    cosines = Cosines(snapshot.vectors, retriever.embedder.embed_query(text))
    return gather(snapshot, Query.ask(text, snapshot.vocabulary), snapshot.lexical.scores(text), cosines)


@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(QUESTION, WEIGHT, st.integers(1, 40), st.randoms(use_true_random=False))
def test_the_k_best_are_those_of_the_whole_totals(retriever, text, weights, k, rng):  # type: ignore[no-untyped-def]
    size = len(retriever.snapshot)
    whole = evidence(retriever, text).total(weights)
    passing = np.asarray([rng.random() < 0.7 for _ in range(size)])
    few = np.isin(np.arange(size), best(whole, 3, passing))
    for allowed, where in ((None, None), (passing, None), (few, None), (few, passing), (passing & ~few, passing)):
        bounded = evidence(retriever, text).total(weights, [(k, allowed), (k, where)])
        for seen in (allowed, where):
            result = best(bounded, k, seen)
            assert result.tolist() == best(whole, k, seen).tolist()
            assert bounded[result].tolist() == whole[result].tolist()


def test_a_question_that_names_a_row_leaves_most_cosines_out(retriever: Retriever) -> None:
    query: list[int] = []

    class Counted(Cosines):
        def at(self, positions):  # type: ignore[no-untyped-def]
            query.append(len(positions))
            return super().at(positions)

    snapshot, text = retriever.snapshot, "what does a dagger cost"
    cosines = Counted(snapshot.vectors, retriever.embedder.embed_query(text))
    question = Query.ask(text, snapshot.vocabulary)
    gather(snapshot, question, snapshot.lexical.scores(text), cosines).total(WEIGHTS, [(1, None)])

    assert sum(query) < len(snapshot) / 4


def test_cosines_are_the_same_wherever_they_are_asked_for(snapshot: Snapshot) -> None:
    vector = snapshot.vectors[7]
    everywhere = similarity(snapshot.vectors, vector)
    few, many = np.asarray([3, 7, 100]), np.arange(0, len(snapshot), 2)
    cosines = Cosines(snapshot.vectors, vector)

    assert cosines.at(few).tolist() == everywhere[few].tolist()
    assert cosines.at(many).tolist() == everywhere[many].tolist()
    assert cosines.all.tolist() == everywhere.tolist()
