import pytest

from retrieval.errors import BadPredicateError
from retrieval.language.canonical import canonical
from retrieval.language.vocabulary import Vocabulary
from retrieval.query_must import explain, satisfies_query_must
from retrieval.query_must.lint import minimal_questions
from retrieval.query_must.operators import Sides
from retrieval.query_must.predicate import parse_query_must

DUEL = "Who wins: 4th level fighter (AC 3) vs 7th level druid (AC 9)?"


def row(subject: str, value: int) -> dict[str, object]:
    lists = [[subject], [f"ac {value}"]]
    return {"contain_one_of": lists, "contain_across": lists}


@pytest.mark.parametrize(
    ("subject", "value", "passes"),
    [("fighter", 9, True), ("druid", 3, True), ("fighter", 3, False), ("druid", 9, False)],
)
@pytest.mark.parametrize(
    "question",
    [
        DUEL,
        "a level 4 fighter of armour class 3 versus a druid of level 7, AC 9",
        "7th level druid with AC 9 against a 4th level fighter with AC 3",
    ],
)
def test_a_value_of_the_opponent_is_on_the_other_side(question: str, subject: str, value: int, passes: bool) -> None:
    assert satisfies_query_must(question, row(subject, value)) == passes


@pytest.mark.parametrize(
    "question",
    [
        "What does a 7th level druid need against AC 9?",
        "to hit AC 9 vs AC 3 for a druid of level 7",
        "druid of level 7 vs AC 9 and level 3",
        "7th level druid (AC 9) vs 4th level fighter (AC 3) vs 2nd level thief (AC 7)",
        "a 7th level druid and AC 9",
    ],
)
def test_where_the_sides_do_not_give_the_same_labels_nothing_is_asked(question: str) -> None:
    assert Sides.of(canonical(question)) is None
    assert satisfies_query_must(question, row("druid", 9))


def test_the_reason_names_both_sides() -> None:
    output = explain(DUEL, row("druid", 9))
    assert output.startswith("contain_across failed: what it names is all on one side, ")
    assert output.endswith("'who win level 4 fighter ac 3' or 'level 7 druid ac 9'")


def test_the_lint_asks_with_what_the_other_operators_ask() -> None:
    questions = minimal_questions(parse_query_must(row("druid", 9), strict=True), Vocabulary.default())
    assert questions
    assert all(satisfies_query_must(question, row("druid", 9)) for question in questions)


@pytest.mark.parametrize(
    "value", ["fighter", [["fighter"]], [["fighter"], "ac 9"], [["fighter"], [None]], {"a": 1}, None]
)
def test_what_is_not_two_lists_of_terms_is_refused(value: object) -> None:
    with pytest.raises(BadPredicateError, match="contain_across: "):
        parse_query_must({"contain_across": value}, strict=True)
