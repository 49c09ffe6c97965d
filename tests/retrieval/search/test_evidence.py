"""The evidence for some chunks, against that for all."""

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from retrieval.index.words.lexical_index import Selection
from retrieval.search.evidence import Cosines, Evidence, Portion, gather
from retrieval.search.query import Query
from retrieval.strategy import EvidenceWeights
from tests.retrieval.search.evidence.test_evidence_total import QUESTION
from tests.retrieval.search.evidence.test_evidence_total import evidence as evidence_of_all


@pytest.fixture
def evidence(snapshot):
    def of(text):
        question = Query.ask(text, snapshot.vocabulary)
        result = gather(snapshot, question, snapshot.lexical.scores(text))
        return result, result.at(np.arange(len(snapshot)))

    return of


def test_every_part_lies_between_0_and_1(evidence):
    for question in ("AC 6", "which weapon costs 12", "the the the", "xyzzy", "weapon " * 100):
        for name, part in evidence(question)[1].items():
            assert part.min() >= 0, name
            assert part.max() <= 1, name


def test_every_part_has_a_weight_and_the_total_is_their_weighted_sum(evidence):
    result, parts = evidence("what does a cleric need to hit AC 6")
    weights = EvidenceWeights(text=2.0, number=0.5)

    assert set(parts) == {name for name, _ in weights.items()}
    assert result.total(weights) == pytest.approx(2.0 * parts["text"] + 0.5 * parts["number"])
    assert result.total(EvidenceWeights()).tolist() == [0.0] * len(parts["text"])


def test_a_bound_number_speaks_for_the_rows_that_stand_for_it(evidence, snapshot):
    number = evidence("to hit armour class 6")[1]["number"]
    named = {snapshot.chunks[int(position)].names for position in np.flatnonzero(number)}

    assert named
    assert all("armor class 6" in names for names in named)


def test_a_question_without_a_known_word_has_no_evidence(evidence):
    assert all(not part.any() for part in evidence("xyzzy plugh")[1].values())


def test_siblings_of_a_named_row_are_outnamed_unless_the_question_wants_them(evidence, snapshot):
    sibling = evidence("damage of a dagger")[1]["sibling"]
    chunks = list(snapshot.chunks)
    outnamed = {chunk.row_key for chunk, part in zip(chunks, sibling, strict=True) if part}

    assert outnamed == {"crossbow", "halberd", "mace", "long sword", "staff"}
    assert not evidence("which weapon is heavier than a dagger")[1]["sibling"].any()
    assert not evidence("damage of a weapon")[1]["sibling"].any()


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

    whole, result = evidence_of_all(retriever, text), among(retriever, text, some)

    expected, measured = whole.at(some.positions), result.at(np.arange(len(some)))
    for name, values in expected.items():
        assert measured[name].tolist() == values.tolist(), name


def test_what_is_beyond_a_portion_is_measured_when_it_is_asked_for(retriever):  # type: ignore[no-untyped-def]
    snapshot, text = retriever.snapshot, "What does a cleric need to hit AC 6?"
    inside = Selection.of([np.arange(0, 40)], len(snapshot))
    portion = Portion(inside, among(retriever, text, inside), lambda some: among(retriever, text, some))
    positions = np.asarray([90, 3, 50, 39])

    measured, whole = portion.at(positions), evidence_of_all(retriever, text).at(positions)

    for name in ("dense", "text", "title", "column", "head", "name", "quote", "figure", "number", "axis"):
        assert measured[name].tolist() == whole[name].tolist(), name
    assert portion.at(positions[[1, 3]])["text"].tolist() == whole["text"][[1, 3]].tolist()
