"""The published operators, by their published test names, with the repairs that the operators' meaning needs."""

import json
import logging
import re

import pytest

from retrieval.errors import BadPredicateError
from retrieval.query_must import (
    CompiledPredicates,
    Operator,
    canonical,
    explain,
    in_words,
    parse_query_must,
    predicate,
    register_operator,
    satisfies_query_must,
    unregister_operator,
    validate_contain,
    validate_contain_all_of,
    validate_contain_one_of,
    validate_contain_range,
)
from retrieval.query_must.operators import Membership, always_asks, membership, only_conditional


@pytest.fixture(autouse=True)
def nothing_read_before():
    # A text is warned about when it is first read; another test may have read it.
    predicate._read_text.cache_clear()


HUGE = 10**400 - 1
"""Beyond a float's reach, and a number that JSON can write."""

CLERIC_QUESTION = "What does a 7th level cleric need to roll to hit armor class 6?"


BLAST, BOTH_WORDS, TENS = {"contain": "psionic"}, {"contain_all_of": ["psionic", "attack"]}, {"min": 10, "max": 13}
MIND = {"contain_range": {**TENS, "of": ["intelligence", "wisdom"]}}
FROM_13 = {"contain_range": {"min": 13, "of": ["level"]}}


@pytest.mark.parametrize(
    ("published_name", "question", "must", "holds"),
    [
        ("satisfy_single_group", "cleric", [["cleric"]], True),
        ("satisfy_multiple_groups", "cleric ac 6", [["cleric"], ["ac 6"]], True),
        ("fail_missing_group", "cleric", [["cleric"], ["ac 6"]], False),
        ("case_insensitive", "CLERIC", [["cleric"]], True),
        ("case_insensitive", "cleric", [["CLERIC"]], True),
        ("substring_match", "attacking ac 6", [["ac 6"]], True),
        ("substring_match, on word boundaries", "attacking ac 60", [["ac 6"]], False),
        ("substring_match, on word boundaries", "a mac 6", [["ac 6"]], False),
        ("contain_all_of", "psionic blast attack", BOTH_WORDS, True),
        ("contain_all_of_fail", "psionic defense", BOTH_WORDS, False),
        ("contain_single", "psionic blast", BLAST, True),
        ("contain_single_fail", "magic missile", BLAST, False),
        ("contain_range_single", "intelligence 12", {"contain_range": TENS}, True),
        ("contain_range_multiple", "int 8 wis 15", {"contain_range": TENS}, False),
        ("contain_range_edge", "wisdom 10", {"contain_range": TENS}, True),
        ("contain_range_edge", "wisdom 13", {"contain_range": TENS}, True),
        ("no_query_must", "anything", None, True),
        ("empty_term_group", "cleric", [[]], True),
        ("special_characters", "a.c. 6", [["a.c. 6"]], True),
        ("an ordinal is no free number", "12th level monk", {"contain_range": TENS}, False),
        ("a range of labels: a short form", "int 12", MIND, True),
        ("a range of labels: of", "wisdom of 10", MIND, True),
        ("a range of labels: a number of something else", "monk with AC 12", MIND, False),
        ("a range of labels: an interval", "what does a 12 mean for int 8 to 11", MIND, True),
        ("a range of labels: an open interval", "int 9 or higher", MIND, True),
        ("a range open at its end", "level 20", FROM_13, True),
        ("a range open at its end", "level 12", FROM_13, False),
        ("a range open at its beginning", "level 1", {"contain_range": {"max": 3, "of": ["level"]}}, True),
        ("a number is a term", "a roll of 60", {"contain": 60}, True),
        ("a number is a term", "a roll of 6", {"contain_all_of": [6, 60]}, False),
    ],
)
def test_a_question_satisfies_a_predicate(published_name, question, must, holds):
    assert satisfies_query_must(question, must) is holds


@pytest.mark.parametrize(
    ("validate", "name", "passing", "failing"),
    [
        (validate_contain_one_of, "contain_one_of", [["cleric"], ["armor class 6", "a.c. 6"]], [["x"]]),
        (validate_contain_all_of, "contain_all_of", ["cleric", "ac 6"], ["cleric", "ac 5"]),
        (validate_contain, "contain", "7th level", "8th level"),
        (validate_contain_range, "contain_range", {"min": 6, "max": 6}, {"min": 7, "max": 7}),
    ],
)
def test_each_operator_checks_itself_alone(validate, name, passing, failing):
    others = {
        "contain": "dragon",
        "contain_all_of": ["dragon"],
        "contain_one_of": [["dragon"]],
        "contain_range": {"min": 99},
    }  # none of them holds
    assert validate(CLERIC_QUESTION, {name: passing})
    assert not validate(CLERIC_QUESTION, {name: failing})
    assert validate(CLERIC_QUESTION, {})
    assert validate(CLERIC_QUESTION, None)
    assert validate(CLERIC_QUESTION, {**others, name: passing})


def test_the_published_examples():
    assert satisfies_query_must(CLERIC_QUESTION, [["cleric", "clerics"], ["armor class 6", "ac 6", "a.c. 6"]])
    assert not satisfies_query_must(CLERIC_QUESTION, [["cleric", "clerics"], ["armor class 5", "ac 5", "a.c. 5"]])
    assert not satisfies_query_must(CLERIC_QUESTION, [["fighter", "fighters"], ["armor class 6", "ac 6", "a.c. 6"]])
    psionic = {"contain_one_of": [["psionic", "psychic"]], "contain_range": {"min": 10, "max": 13}}
    assert satisfies_query_must("intelligence 12 psionic blast", psionic)
    assert not satisfies_query_must("intelligence 8 psionic blast", psionic)
    assert not satisfies_query_must("psionic blast attack", psionic)
    assert satisfies_query_must("8th level intelligence 12 psionic", psionic)


def test_all_operators_must_hold():
    must = {
        "contain_one_of": [["cleric"]],
        "contain_all_of": ["level 7"],
        "contain": "ac 6",
        "contain_range": {"max": 6},
    }
    assert satisfies_query_must(CLERIC_QUESTION, must)
    for name, value in {"contain": "ac 5", "contain_all_of": ["level 8"], "contain_range": {"max": 5}}.items():
        assert not satisfies_query_must(CLERIC_QUESTION, {**must, name: value})


def test_every_form_of_a_predicate_is_read():
    groups = [["cleric"], ["ac 6"]]
    for form in (groups, {"contain_one_of": groups}, json.dumps(groups), json.dumps({"contain_one_of": groups})):
        assert satisfies_query_must("cleric ac 6", form)
        assert not satisfies_query_must("cleric ac 7", form)
        assert not satisfies_query_must(canonical("cleric ac 7"), form)
        assert satisfies_query_must(canonical("cleric ac 6"), parse_query_must(form, strict=True))
    assert satisfies_query_must("anything", "null")
    assert satisfies_query_must("anything", {})


@pytest.mark.parametrize(
    ("must", "complaint"),
    [
        ("{", "not JSON"),
        ("3", "write an object"),
        ({"contain_any": ["x"]}, "unknown operator 'contain_any'"),
        ({"contain_one_of": "cleric"}, "not a list of groups"),
        ({"contain_one_of": ["cleric"]}, "not a list of terms"),
        ({"contain_one_of": [[None]]}, "None is not a term"),
        ({"contain_all_of": "cleric"}, "not a list of terms"),
        ({"contain": ["cleric"]}, "is not a term"),
        ({"contain": True}, "is not a term"),
        ({"contain": float("nan")}, "is not a term"),
        ({"contain_range": [1, 2]}, "is not a range"),
        ({"contain_range": {}}, "is not a range"),
        ({"contain_range": {"min": 1, "mx": 2}}, "is not a range"),
        ({"contain_range": {"min": "1"}}, "min is '1'"),
        ({"contain_range": {"min": 3, "max": 1}}, "swap them"),
        ({"contain_range": {"min": 3, "of": "level"}}, "list of labels"),
        ({"contain_range": {"min": 3, "of": []}}, "list of labels"),
        ({"contain_range": {"min": 3, "of": [3]}}, "every label is a string"),
        ({"contain_range": {"min": 1, "max": 9, "of": [""]}}, "of has ''; every label"),
        ({"contain_range": {"min": 1, "of": ["ac", "—"]}}, "of has '—'; every label"),
        ({"contain": HUGE}, "99999.* is not a term"),
        ({"contain_all_of": ["ac 6", -HUGE]}, "-99999.* is not a term"),
        ({"contain_one_of": [[HUGE]]}, "99999.* is not a term"),
        ({"contain_range": {"min": HUGE}}, r"min is 99999.*\(400 characters\); write a number"),
        ({"contain_range": {"max": HUGE}}, "max is 99999"),
        ({"contain_range": {"min": -HUGE, "max": 3, "of": ["ac"]}}, "min is -99999"),
    ],
)
def test_what_cannot_be_checked_is_refused_when_a_row_is_made_and_left_out_when_it_is_read(must, complaint, caplog):
    with pytest.raises(BadPredicateError, match=complaint):
        parse_query_must(must, strict=True)
    with caplog.at_level(logging.WARNING):
        assert satisfies_query_must("anything", must)
        assert CompiledPredicates.build([must if isinstance(must, str) else json.dumps(must)]).admitted("x").tolist()
    assert re.search(complaint, caplog.text)


@pytest.mark.parametrize(
    "must", [{"contain": 10**5000}, {"contain_range": {"min": 10**5000}}, {"contain_range": [10**5000]}]
)
def test_a_number_too_long_to_be_written_is_refused_too(must):
    with pytest.raises(BadPredicateError, match="too long to be shown"):
        parse_query_must(must, strict=True)
    assert satisfies_query_must("anything", must)


def test_the_largest_numbers_that_can_be_compared_are_read():
    must = {"contain_range": {"min": -(10**308), "max": 10**308}, "contain": 10**300}
    assert satisfies_query_must(f"is it {10**300}?", json.dumps(must))
    assert not satisfies_query_must("is it 6?", must)


def test_the_rest_of_a_predicate_still_counts(caplog):
    must = {"contain_any": ["x"], "contain": "cleric"}
    assert satisfies_query_must("cleric", must)
    assert not satisfies_query_must("fighter", must)


def test_an_empty_term_is_as_if_it_were_not_written():
    assert satisfies_query_must("cleric", [["—", "cleric"]])
    assert not satisfies_query_must("fighter", [["—", "cleric"]])
    assert satisfies_query_must("fighter", [["—"]])
    assert satisfies_query_must("fighter", {"contain": "", "contain_all_of": ["*"]})


def test_a_new_operator_is_one_registry_entry():
    def validate(value):
        if not isinstance(value, int):
            raise BadPredicateError(f"contain_words: {value!r} is not a number of words; write one")

    operator = Operator("contain_words", validate, lambda question, value: len(question.tokens) >= value)
    stored = json.dumps({"contain_words": 3})
    assert satisfies_query_must("two words", stored)
    register_operator(operator)
    try:
        assert not satisfies_query_must("two words", stored)
        assert satisfies_query_must("now three words", stored)
        assert explain("two words", stored) == "contain_words failed group: 3"
        with pytest.raises(BadPredicateError, match="is not a number of words"):
            parse_query_must({"contain_words": "3"}, strict=True)
        with pytest.raises(BadPredicateError, match="registered already"):
            register_operator(operator)
    finally:
        unregister_operator("contain_words")
    assert satisfies_query_must("two words", stored)


@pytest.mark.parametrize(
    ("must", "reason"),
    [
        (None, "no restrictions"),
        ({}, "no restrictions"),
        ([["cleric"], ["ac 6"]], "satisfies query_must"),
        ([["cleric"], ["ac 5", "a.c. 5"]], 'contain_one_of failed group: ["ac 5", "a.c. 5"]'),
        ({"contain_all_of": ["cleric", "dragon"]}, 'contain_all_of failed group: "dragon"'),
        ({"contain": "dragon"}, 'contain failed group: "dragon"'),
        ({"contain_range": {"min": 9, "of": ["ac"]}}, 'contain_range failed group: {"min": 9, "of": ["ac"]}'),
        ('{"contain": "dragon"}', 'contain failed group: "dragon"'),
    ],
)
def test_the_receipt_names_the_operator_and_the_group_that_failed(must, reason):
    assert explain(CLERIC_QUESTION, must) == reason
    assert explain(canonical(CLERIC_QUESTION), must) == reason


ROW = '{"contain_no_rival": {"table": "weapons", "row": 3}}'
BOTH = '{"contain": "axe", "contain_no_rival": {"table": "weapons", "row": 3}}'


def test_a_row_says_which_table_it_is_of() -> None:
    assert membership(ROW) == membership(BOTH) == Membership("weapons", 3)
    assert membership('{"contain": "contain_no_rival"}') is None
    assert membership("contain_no_rival") is None
    assert membership(None) is None


def test_only_a_predicate_that_asks_nothing_else_is_conditional() -> None:
    assert only_conditional(ROW)
    assert not only_conditional(BOTH)
    assert (always_asks(ROW), always_asks(BOTH), always_asks("[]"), always_asks(None)) == (False, True, True, False)


@pytest.mark.parametrize(
    "value",
    [
        None,
        3,
        "weapons",
        {"table": "weapons"},
        {"table": "", "row": 1},
        {"table": "w", "row": -1},
        {"table": "w", "row": True},
    ],
)
def test_another_value_is_refused(value: object) -> None:
    with pytest.raises(BadPredicateError, match="contain_no_rival"):
        parse_query_must({"contain_no_rival": value}, strict=True)


def test_it_is_said_in_words() -> None:
    assert in_words(ROW) == "The question must say nothing that names another row of its table and not this one."
