"""Whether the words of a question ask for prose or for a row."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retrieval.errors import IndexCorruptError
from retrieval.home import Home
from retrieval.language.canonical import canonical
from retrieval.language.vocabulary import Vocabulary
from retrieval.search.rerank import question_kind
from retrieval.search.rerank.question_kind import LIMIT, NUMBER, START, prose_log_odds, question_terms
from retrieval.search.rerank.rerank import QUESTION
from retrieval.search.retriever import Retriever

VOCABULARY = Vocabulary.default()


def test_terms_are_words_pairs_and_the_beginning_and_all_numbers_are_one() -> None:
    assert question_terms(canonical("May I moor 3 boats?", VOCABULARY)) == {
        *(START, "may", "i", "moor", NUMBER, "boat"),
        *(f"{START} may", "may i", "i moor", f"moor {NUMBER}", f"{NUMBER} boat"),
    }


@pytest.mark.parametrize(
    ("prose", "row"),
    [
        ("may i wire my own house?", "what is the fee for a duplex?"),
        ("why must the gate be shut at night?", "gate number and unit code"),
        ("who pays if the tenant moves out?", "what value has channel 7?"),
    ],
)
def test_a_question_for_a_rule_has_higher_odds_than_one_for_a_value(prose: str, row: str) -> None:
    assert prose_log_odds(canonical(prose, VOCABULARY)) > max(0.0, prose_log_odds(canonical(row, VOCABULARY)))


@given(st.text(min_size=1, max_size=60))
def test_every_question_has_finite_odds_that_are_the_same_again(text: str) -> None:
    odds = prose_log_odds(canonical(text, VOCABULARY))
    assert abs(odds) <= LIMIT
    assert prose_log_odds(canonical(text, VOCABULARY)) == odds


def test_a_long_question_has_no_more_odds_than_the_limit() -> None:
    long = "Why must the standard work again? Who should do it, and may I say what two examples are too?"
    assert prose_log_odds(canonical(long, VOCABULARY)) == LIMIT
    assert prose_log_odds(canonical("number value unit tag channel link category 7", VOCABULARY)) == -LIMIT


def test_prose_gets_the_odds_and_rows_get_nothing(sample: Home) -> None:
    hits = Retriever.open(sample.root).retrieve("May a cleric use an edged weapon?", 15).hits
    of_kind = {
        chunk.kind == "prose": addend.value
        for chunk, addends in ((hit.chunk, hit.addends) for hit in hits)
        for addend in addends
        if addend.name == QUESTION
    }
    odds = prose_log_odds(canonical("May a cleric use an edged weapon?", VOCABULARY))
    assert of_kind == {True: pytest.approx(odds), False: 0.0}


def test_weights_that_cannot_be_read_are_named(monkeypatch: pytest.MonkeyPatch, tmp_path) -> None:
    (tmp_path / "question_kind.json").write_text('{"may": "high"}')
    monkeypatch.setattr(question_kind, "WEIGHTS", tmp_path / "question_kind.json")
    question_kind._weights.cache_clear()
    try:
        with pytest.raises(IndexCorruptError, match=r"question_kind\.json cannot be read"):
            prose_log_odds(canonical("may i", VOCABULARY))
    finally:
        question_kind._weights.cache_clear()
