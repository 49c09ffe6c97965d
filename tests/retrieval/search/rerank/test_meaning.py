import numpy as np
import pytest

from retrieval.search.query import Query
from retrieval.search.rerank.asked import ask
from retrieval.search.rerank.meaning import MOST, meaning


@pytest.fixture
def mean(snapshot):
    """Features of a row of gear, one of hulls and a passage, if no field says any word but those of `said`."""
    ids = ("gear-hemp rope", "hulls-K", "prose-001")
    numbers = snapshot.evidence.of[snapshot.chunks.positions(list(ids))].astype(np.int64)
    tables, table_of = np.unique(numbers, return_inverse=True)

    def of(question, said=()):
        asked = ask(snapshot, Query.ask(question, snapshot.vocabulary))
        words = [snapshot.lexical.terms.text_of(int(place)) for place in asked.words]
        marks = np.tile(np.asarray([word in said for word in words], dtype=bool), (3, 1))
        return meaning(snapshot, question, asked, tables, table_of, marks, marks)

    return of


def test_the_table_that_has_a_column_of_that_meaning_is_near(mean):
    found = mean("how heavy is it")["meaning"]

    assert found[0] > 0.2
    assert found[0] > found[1]
    assert found[2] == 0


def test_a_word_that_the_row_has_needs_no_column(mean):
    assert mean("weight")["meaning"][0] == pytest.approx(1.0)
    assert mean("weight", said=("weight",))["meaning"][0] == 0


def test_what_a_column_means_is_missing_less(mean):
    found = mean("poison weight")

    assert found["missing"][0] < found["missing"][2]
    assert found["meaning_covered"][0] > found["meaning_covered"][2] == 0


@pytest.mark.parametrize("question", ["12", "a b", "zzyzx", "word " * 3 * MOST, "Été — 5%"])
def test_every_question_has_finite_features(mean, question):
    for name, values in mean(question).items():
        assert values.shape == (3,), name
        assert np.isfinite(values).all(), name
        assert ((values >= 0) & (values <= 1 + 1e-9)).all(), name
