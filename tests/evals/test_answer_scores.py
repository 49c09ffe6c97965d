from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evals.answer_scores import (
    HEADER,
    AnsweredQuestion,
    GoldAnswer,
    Outcome,
    grade_answer,
    matches_value,
    polarity,
    score_answers,
)
from retrieval.rag.cells import Cell
from tests.chunks import EMPTY


def answer(kind: str, outcome: Outcome) -> AnsweredQuestion:
    return AnsweredQuestion(f"{kind}{outcome}", kind, "q", "a", outcome, "", "right" if outcome == "perhaps" else None)


def test_outcomes_are_counted_by_kind_and_without_no_answers_in_all() -> None:
    answers = [answer("rule", "right"), answer("rule", "wrong"), answer("no-answer", "refused"), answer("x", "perhaps")]
    rule, none, x, together = score_answers(answers)
    assert (rule.kind, rule.n, rule.right, rule.wrong, rule.stated) == ("rule", 2, 1, 1, 2)
    assert (none.refused, x.perhaps, x.right_perhaps, x.right, x.stated) == (1, 1, 1, 0, 0)
    assert (together.kind, together.n, together.right, together.perhaps) == ("all with an answer", 3, 1, 1)


def test_a_line_has_a_cell_for_each_of_the_header() -> None:
    lines = [score.line() for score in score_answers([answer("rule", "right")])]
    assert {line.count("|") for line in (*lines, HEADER[0])} == {lines[0].count("|")}
    assert "0.207 to 1.000" in lines[0]
    assert "0.000 to 1.000" in score_answers([])[-1].line()


ROW = replace(EMPTY, id="gold", kind="row", columns=("Plan", "Limit", "Note"), cells=("Basic", "1,000", "per key"))
OTHER = replace(ROW, id="other", cells=("Pro", "9", "per key"))
CHUNKS = {chunk.id: chunk for chunk in (ROW, OTHER)}


def grade(answer: str, *cells: tuple[str, str, str], snippets: tuple[str, ...] = ()) -> str:
    read = [Cell(chunk_id, column, text, place, 1.0) for place, (chunk_id, column, text) in enumerate(cells)]
    return grade_answer(read, CHUNKS, GoldAnswer("limit of the basic plan", answer, ("gold",), snippets))


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        ("1,000 requests", "1000 requests"),
        ("8.0", "8"),
        ("two", "2"),
        ("15 min", "15 minutes"),
        ("**Required**", "yes"),
        ("false", "No"),
        ("5-10", "10 to 5"),
        ("annotated manually", "manual annotation"),
        ("7680", "7680 px (a side)"),
        ("14", "14 kg/m²"),
        ("`~`", "~"),
        ("📖🤔", "📖🤔"),
        ("OTHER", "other"),
        ("✕", "no"),
    ],
)
def test_values_that_are_the_same_match(text: str, answer: str) -> None:
    assert matches_value([text], answer)


@pytest.mark.parametrize(
    ("text", "answer"), [("12", "1"), ("7", "7.5"), ("Optional", "yes"), ("red", "blue paint"), ("", "~")]
)
def test_values_that_differ_do_not_match(text: str, answer: str) -> None:
    assert not matches_value([text], answer)


@given(st.lists(st.sampled_from(["12", "7.5", "brown", "fox", "kg", "1,000"]), min_size=1, unique=True))
def test_an_answer_matches_itself_in_any_order(words: list[str]) -> None:
    assert matches_value([" ".join(words)], " ".join(reversed(words)))


def test_the_gold_row_counts_and_another_only_with_the_same_long_value() -> None:
    assert grade("9", ("gold", "Limit", "9")) == "right"
    assert grade("9", ("other", "Limit", "9")) == "wrong"
    assert grade("10,000", ("other", "Limit", "10000")) == "right"


@pytest.mark.parametrize(
    ("stated", "outcome"),
    [(("no", "yes"), "right"), (("no",), "partly"), (("9", "12"), "wrong"), (("yes, no",), "partly")],
)
def test_every_side_of_a_comparison_needs_a_cell_with_its_value(stated: tuple[str, ...], outcome: str) -> None:
    cells = [("gold", "Limit", text) for text in stated]
    assert grade("basic: No; plan: Yes", *cells) == outcome
    assert grade("basic: No; plan: Yes", *[("other", column, text) for _, column, text in cells]) == "wrong"


def test_a_sentence_of_the_gold_passage_is_right() -> None:
    passage = "Keys expire after a while, and nobody is told of it"
    assert grade("they expire", ("gold", "", "Keys expire after a while."), snippets=(passage,)) == "right"
    assert grade("they expire", ("gold", "", "Doors are painted green."), snippets=(passage,)) == "wrong"


def test_the_cell_that_says_most_of_the_answer_is_right_and_some_of_it_partly() -> None:
    assert grade("1000 each day", ("gold", "Limit", "1,000")) == "right"
    assert grade("1000", ("gold", "Note", "per key")) == "wrong"
    assert grade("blue paint, green door, red roof", ("gold", "Note", "a blue paint and a door")) == "partly"


def test_polarity_is_that_of_the_first_word() -> None:
    assert (polarity("Yes, always"), polarity("- "), polarity("maybe")) == (True, False, None)
    assert (polarity("n"), polarity("n/a (side loading)")) == (False, None)
