"""."""

import numpy as np
import pytest

from retrieval.search.query import Query
from retrieval.search.rerank.candidates import Candidates
from retrieval.search.rerank.meaning import MOST, meaning, semantic_similarity
from retrieval.search.rerank.query_terms import ask
from retrieval.search.rerank.term_matches import match_terms


@pytest.fixture
def mean(snapshot):
    """Features of a row of gear, one of hulls and a passage, if no field says any word but those of `said`."""
    ids = ("gear-hemp rope", "hulls-K", "prose-001")
    numbers = snapshot.evidence.of[snapshot.chunks.positions(list(ids))].astype(np.int64)
    tables, table_of = np.unique(numbers, return_inverse=True)

    def of(question, said=()):
        query = ask(snapshot, Query.ask(question, snapshot.vocabulary))
        words = [snapshot.lexical.terms.text_of(int(word)) for word in query.words]
        marks = np.tile(np.asarray([word in said for word in words], dtype=bool), (3, 1))
        return meaning(snapshot, question, query, tables, table_of, marks, marks)

    return of


def test_the_table_that_has_a_column_of_that_meaning_is_near(mean):
    result = mean("how heavy is it")["meaning"]

    assert result[0] > 0.2
    assert result[0] > result[1]
    assert result[2] == 0


def test_a_word_that_the_row_has_needs_no_column(mean):
    assert mean("weight")["meaning"][0] == pytest.approx(1.0)
    assert mean("weight", said=("weight",))["meaning"][0] == 0


def test_what_a_column_means_is_missing_less(mean):
    result = mean("poison weight")

    assert result["missing"][0] < result["missing"][2]
    assert result["meaning_covered"][0] > result["meaning_covered"][2] == 0


@pytest.mark.parametrize("question", ["12", "a b", "zzyzx", "word " * 3 * MOST, "Été — 5%"])
def test_every_question_has_finite_features(mean, question):
    for name, values in mean(question).items():
        assert values.shape == (3,), name
        assert np.isfinite(values).all(), name
        assert ((values >= 0) & (values <= 1 + 1e-9)).all(), name


IDS = ("gear-hemp rope", "hulls-K", "prose-001")


@pytest.fixture
def like(snapshot):
    """Features of a row of gear, one of hulls and a passage; `unsaid` forgets which words they say as they are."""

    def of(question, ids=IDS, unsaid=False):
        query = ask(snapshot, Query.ask(question, snapshot.vocabulary))
        positions = snapshot.chunks.positions(list(ids))
        tables, table_of = np.unique(snapshot.evidence.of[positions].astype(np.int64), return_inverse=True)
        sections = np.unique(snapshot.fields.section[tables][table_of], return_inverse=True)[1]
        is_row = snapshot.evidence.of[positions] < snapshot.evidence.n_tables
        candidates = Candidates(positions, tables, table_of, sections, is_row, {})
        index = snapshot.fields
        rows = match_terms([index.key, index.cell, index.passage], candidates.positions, query, snapshot.rarity)
        heads = match_terms([index.caption, index.heading, index.column], candidates.tables, query, snapshot.rarity)
        row, head = rows.said().any(axis=0), heads.said().any(axis=0)[candidates.table_of]
        if unsaid:
            row, head = np.zeros_like(row), np.zeros_like(head)
        return semantic_similarity(snapshot, question, query, (rows, heads), 2, (0, 1, 2), (row, head), candidates)

    return of


def test_a_word_that_is_said_counts_whole(like):
    assert like("hemp rope")["alike_row"].tolist()[0] == pytest.approx(1.0)
    assert like("weight")["alike_head"].tolist()[0] == pytest.approx(1.0)
    assert like("weight")["alike_row"][0] < 1.0


def test_a_word_that_is_meant_counts_in_part_even_if_no_index_has_it(like, snapshot):
    (term,) = snapshot.lexical.tokenize("expensive")
    assert snapshot.lexical.terms.position(term) is None

    result = like("expensive")["alike"]

    assert 0 < result[0] < 1
    assert result[0] > result[1]


def test_the_row_and_its_headings_share_what_the_question_says(like):
    result = like("price of a hemp rope")

    assert result["alike"][0] > max(result["alike_row"][0], result["alike_head"][0])
    assert result["alike"][0] == result["alike"].max()


def test_numbers_are_like_themselves_alone(like):
    assert like("31 tons", unsaid=True)["alike_row"][1] == pytest.approx(like("30 tons", unsaid=True)["alike_row"][1])


@pytest.mark.parametrize("question", ["rope weight", "how heavy is the lantern of the zzyzx", "30 tons of ale"])
def test_what_a_candidate_says_does_not_depend_on_the_others(like, question):
    together = like(question)
    for position, each in enumerate(IDS):
        alone = like(question, ids=(each,))
        for name, values in together.items():
            assert alone[name][0] == pytest.approx(values[position], abs=1e-3), name


@pytest.mark.parametrize("question", ["12", "a b", "zzyzx", "word " * 150, "Été — 5%", "the of"])
def test_every_question_has_finite_features_alike(like, question):
    for name, values in like(question).items():
        assert values.shape == (3,), name
        assert ((values >= 0) & (values <= 1 + 1e-6)).all(), name


def test_a_word_that_says_little_in_any_text_is_no_loss(like):
    idle, telling = like("hemp rope anyway"), like("hemp rope hovercraft")

    assert idle["alike"][0] == pytest.approx(telling["alike"][0], abs=0.05)
    assert idle["told"][0] > 0.95 > telling["told"][0]
    assert idle["untold"][0] < 0.1 < telling["untold"][0]


def test_what_is_told_counts_words_whatever_their_share(like):
    assert like("hemp rope hovercraft submarine")["told_words"][0] > like("rope hovercraft")["told_words"][0]


def test_a_number_is_told_where_it_is_written(like):
    assert like("hulls of 30 tons")["untold_number"].tolist()[1] == 0.0
    assert like("hulls of 31 tons")["untold_number"].tolist()[1] == 1.0
    assert like("hemp rope")["untold_number"].tolist() == [0.0, 0.0, 0.0]
