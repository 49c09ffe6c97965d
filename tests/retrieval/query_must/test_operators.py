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


def test_satisfy_single_group():
    assert satisfies_query_must("cleric", [["cleric"]])


def test_satisfy_multiple_groups():
    assert satisfies_query_must("cleric ac 6", [["cleric"], ["ac 6"]])


def test_fail_missing_group():
    assert not satisfies_query_must("cleric", [["cleric"], ["ac 6"]])


def test_case_insensitive():
    assert satisfies_query_must("CLERIC", [["cleric"]])
    assert satisfies_query_must("cleric", [["CLERIC"]])


def test_substring_match():
    assert satisfies_query_must("attacking ac 6", [["ac 6"]])
    # A term is found inside the question, but on word boundaries.
    assert not satisfies_query_must("attacking ac 60", [["ac 6"]])
    assert not satisfies_query_must("a mac 6", [["ac 6"]])


def test_contain_all_of():
    assert satisfies_query_must("psionic blast attack", {"contain_all_of": ["psionic", "attack"]})


def test_contain_all_of_fail():
    assert not satisfies_query_must("psionic defense", {"contain_all_of": ["psionic", "attack"]})


def test_contain_single():
    assert satisfies_query_must("psionic blast", {"contain": "psionic"})


def test_contain_single_fail():
    assert not satisfies_query_must("magic missile", {"contain": "psionic"})


def test_contain_range_single():
    assert satisfies_query_must("intelligence 12", {"contain_range": {"min": 10, "max": 13}})


def test_contain_range_multiple():
    assert not satisfies_query_must("int 8 wis 15", {"contain_range": {"min": 10, "max": 13}})


def test_contain_range_edge():
    assert satisfies_query_must("wisdom 10", {"contain_range": {"min": 10, "max": 13}})
    assert satisfies_query_must("wisdom 13", {"contain_range": {"min": 10, "max": 13}})


def test_no_query_must():
    assert satisfies_query_must("anything", None)


def test_empty_term_group():
    assert satisfies_query_must("cleric", [[]])


def test_special_characters():
    assert satisfies_query_must("a.c. 6", [["a.c. 6"]])


@pytest.mark.parametrize(
    ("validate", "passing", "failing"),
    [
        (
            validate_contain_one_of,
            {"contain_one_of": [["cleric"], ["armor class 6", "a.c. 6"]]},
            {"contain_one_of": [["x"]]},
        ),
        (validate_contain_all_of, {"contain_all_of": ["cleric", "ac 6"]}, {"contain_all_of": ["cleric", "ac 5"]}),
        (validate_contain, {"contain": "7th level"}, {"contain": "8th level"}),
        (validate_contain_range, {"contain_range": {"min": 6, "max": 6}}, {"contain_range": {"min": 7, "max": 7}}),
    ],
)
def test_each_operator_checks_itself_alone(validate, passing, failing):
    assert validate(CLERIC_QUESTION, passing)
    assert not validate(CLERIC_QUESTION, failing)
    assert validate(CLERIC_QUESTION, {})
    assert validate(CLERIC_QUESTION, None)
    others = {
        "contain": "dragon",
        "contain_all_of": ["dragon"],
        "contain_one_of": [["dragon"]],
        "contain_range": {"min": 99},
    }
    (name,) = passing
    del others[name]
    assert validate(CLERIC_QUESTION, {**others, **passing})


def test_the_published_examples():
    assert satisfies_query_must(CLERIC_QUESTION, [["cleric", "clerics"], ["armor class 6", "ac 6", "a.c. 6"]])
    assert not satisfies_query_must(CLERIC_QUESTION, [["cleric", "clerics"], ["armor class 5", "ac 5", "a.c. 5"]])
    assert not satisfies_query_must(CLERIC_QUESTION, [["fighter", "fighters"], ["armor class 6", "ac 6", "a.c. 6"]])
    psionic = {"contain_one_of": [["psionic", "psychic"]], "contain_range": {"min": 10, "max": 13}}
    assert satisfies_query_must("intelligence 12 psionic blast", psionic)
    assert not satisfies_query_must("intelligence 8 psionic blast", psionic)
    assert not satisfies_query_must("psionic blast attack", psionic)
    assert satisfies_query_must("8th level intelligence 12 psionic", psionic)


def test_a_range_of_labels_takes_only_numbers_bound_to_them():
    must = {"contain_range": {"min": 10, "max": 13, "of": ["intelligence", "wisdom"]}}
    assert satisfies_query_must("int 12", must)
    assert satisfies_query_must("wisdom of 10", must)
    assert not satisfies_query_must("monk with AC 12", must)
    assert satisfies_query_must("what does a 12 mean for int 8 to 11", must)
    assert satisfies_query_must("int 9 or higher", must)


def test_a_range_may_be_open_at_one_end():
    assert satisfies_query_must("level 20", {"contain_range": {"min": 13, "of": ["level"]}})
    assert not satisfies_query_must("level 12", {"contain_range": {"min": 13, "of": ["level"]}})
    assert satisfies_query_must("level 1", {"contain_range": {"max": 3, "of": ["level"]}})


def test_an_ordinal_is_no_free_number():
    assert not satisfies_query_must("12th level monk", {"contain_range": {"min": 10, "max": 13}})


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


def test_a_number_is_a_term():
    assert satisfies_query_must("a roll of 60", {"contain": 60})
    assert not satisfies_query_must("a roll of 6", {"contain_all_of": [6, 60]})


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
        with pytest.raises(BadPredicateError, match="already registered"):
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
