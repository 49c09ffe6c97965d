import numpy as np
import pytest

from retrieval.search.evidence.evidence import gather
from retrieval.search.query import Query
from retrieval.strategy import EvidenceWeights


@pytest.fixture
def evidence(snapshot):
    def of(text):
        question = Query.ask(text, snapshot.vocabulary)
        found = gather(snapshot, question, snapshot.lexical.scores(text))
        return found, found.at(np.arange(len(snapshot)))

    return of


def test_every_part_lies_between_0_and_1(evidence):
    for question in ("AC 6", "which weapon costs 12", "the the the", "xyzzy", "weapon " * 100):
        for name, part in evidence(question)[1].items():
            assert part.min() >= 0, name
            assert part.max() <= 1, name


def test_every_part_has_a_weight_and_the_total_is_their_weighted_sum(evidence):
    found, parts = evidence("what does a cleric need to hit AC 6")
    weights = EvidenceWeights(text=2.0, number=0.5)

    assert set(parts) == {name for name, _ in weights.items()}
    assert found.total(weights) == pytest.approx(2.0 * parts["text"] + 0.5 * parts["number"])
    assert found.total(EvidenceWeights()).tolist() == [0.0] * len(parts["text"])


def test_a_bound_number_speaks_for_the_rows_that_stand_for_it(evidence, snapshot):
    number = evidence("to hit armour class 6")[1]["number"]
    named = {snapshot.chunks[int(place)].names for place in np.flatnonzero(number)}

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
