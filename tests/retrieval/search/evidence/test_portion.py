"""The evidence for some chunks, against that for all."""

import numpy as np
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from retrieval.index.words.selection import Selection
from retrieval.search.dense.cosine import Cosines
from retrieval.search.evidence.evidence import Evidence, gather
from retrieval.search.evidence.portion import Portion
from retrieval.search.query import Query
from tests.retrieval.search.evidence.test_evidence_total import QUESTION, evidence


def among(retriever, text, some: Selection) -> Evidence:
    snapshot = retriever.snapshot
    cosines = Cosines(snapshot.vectors, retriever.embedder.embed_query(text), some.positions)
    question = Query.ask(text, snapshot.vocabulary)
    return gather(snapshot, question, snapshot.lexical.scores(text, some), cosines, some)


@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(QUESTION, st.randoms(use_true_random=False))
def test_evidence_for_whole_tables_is_that_among_all_chunks(retriever, text, rng):  # type: ignore[no-untyped-def]
    snapshot = retriever.snapshot
    of = np.asarray(snapshot.evidence.of)
    tables = [table for table in np.unique(of).tolist() if rng.random() < 0.5]
    # The best by BM25 is what the others are a share of.
    best = of[int(np.argmax(snapshot.lexical.scores(text)))]
    some = Selection.of([np.flatnonzero(np.isin(of, [*tables, best]))], len(snapshot))

    whole, found = evidence(retriever, text), among(retriever, text, some)

    expected, measured = whole.at(some.positions), found.at(np.arange(len(some)))
    for name, values in expected.items():
        assert measured[name].tolist() == values.tolist(), name


def test_what_is_beyond_a_portion_is_measured_when_it_is_asked_for(retriever):  # type: ignore[no-untyped-def]
    snapshot, text = retriever.snapshot, "What does a cleric need to hit AC 6?"
    inside = Selection.of([np.arange(0, 40)], len(snapshot))
    portion = Portion(inside, among(retriever, text, inside), lambda some: among(retriever, text, some))
    positions = np.asarray([90, 3, 50, 39])

    measured, whole = portion.at(positions), evidence(retriever, text).at(positions)

    for name in ("dense", "text", "title", "column", "head", "name", "quote", "figure", "number", "axis"):
        assert measured[name].tolist() == whole[name].tolist(), name
    assert portion.at(positions[[1, 3]])["text"].tolist() == whole["text"][[1, 3]].tolist()
