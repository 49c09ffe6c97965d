"""Why a row is kept out, in one sentence that names the row and what the question names instead."""

import json
from dataclasses import replace

import pytest

from retrieval.query_must import (
    Operator,
    Vocabulary,
    canonical,
    in_words,
    refusal,
    register_operator,
    unregister_operator,
)
from retrieval.query_must.siblings import KeyedRow, KeyedTable, Siblings
from retrieval.types import Chunk

ARMOR = {"contain_one_of": [["cleric", "druid"], ["opponent armor class 3", "ac 3", "what ac"]]}
AC_3 = "Armor Class 3"
MIND = {"contain_one_of": [["int 26", "int 27", "wis 26", "wis 27"]]}


def row(called: str, caption: str = "Attack Matrix for Clerics and Druids") -> Chunk:
    return Chunk(
        id="one",
        book="rules",
        document="combat.md",
        kind="row",
        text="{}",
        search_text="",
        source="",
        lines=(1, 1),
        heading_path=("Combat",),
        caption=caption,
        row_key=called.rpartition(" ")[2],
        called=called,
    )


def keyed(title: str) -> KeyedTable:
    rows = {number: KeyedRow((f"Level {level}",), (str(level), "12")) for number, level in enumerate((6, 9))}
    return KeyedTable(title, "saves", (title,), ("Combat", title), ("Level", "Poison"), rows)


@pytest.mark.parametrize(
    ("question", "query_must", "called", "what_it_says"),
    [
        ("What does a cleric need to hit AC 6?", ARMOR, AC_3, 'names "AC 6"'),
        ("cleric against an armour class of 6", ARMOR, AC_3, 'names "armour class of 6"'),
        ("cleric, armor class six", ARMOR, AC_3, 'names "ac 6"'),
        ("cleric against AC 5 and AC 6", ARMOR, AC_3, 'names "AC 5" and "AC 6"'),
        ("clerics of level 7 or higher", {"contain": "level 3"}, "Level 3", "names level 7 or more"),
        ("what a cleric wears", ARMOR, AC_3, "does not name it"),
        ("wisdom 9", MIND, "Int/Wis 26+", 'names "wisdom 9"'),
    ],
)
def test_a_row_says_what_it_is_about_and_what_the_question_names(question, query_must, called, what_it_says) -> None:
    sentence = f"This row is about {called}; your question {what_it_says}."
    assert refusal(question, canonical(question), query_must, row(called)) == sentence


WOODS = {"contain_one_of": [["id", "oak wood", "forest", "grove", "thicket"]]}
OF_INT = {"contain_range": {"min": 10, "max": 13, "of": ["int"]}}
DUEL, ACROSS = "level 3 fighter (AC 3) vs level 7 druid (AC 9)", {"contain_across": [["fighter"], ["ac 3"]]}


@pytest.mark.parametrize(
    ("question", "query_must", "called", "that"),
    [
        ("a fighter to hit AC 3", ARMOR, AC_3, 'name "cleric" or "druid"; yours names neither'),
        ("a desert", {"contain": "forest"}, "Oak", 'name "forest"; yours does not'),
        ("a desert", WOODS, "Elm", 'name "oak wood", "forest" or "grove"; yours names none of them'),
        ("intelligence 8", OF_INT, "10-13", 'say a number from 10 to 13 for "int"; yours names "intelligence 8"'),
        (DUEL, ACROSS, AC_3, 'set "fighter" against "ac 3"; yours has both on one side'),
    ],
)
def test_a_row_whose_name_tells_nothing_says_which_questions_it_is_for(question, query_must, called, that) -> None:
    sentence = f"This row is for questions that {that}."
    assert refusal(question, canonical(question), query_must, row(called)) == sentence


def test_what_is_not_refused_needs_no_sentence() -> None:
    query = canonical("cleric to hit AC 3")
    assert refusal("cleric to hit AC 3", query, ARMOR, row("Armor Class 3")) == ""
    assert refusal("cleric to hit AC 3", query, None) == ""


def test_where_only_the_predicate_is_known_its_terms_are_named() -> None:
    output = refusal("cleric, AC 6", canonical("cleric, AC 6"), ARMOR)
    assert (
        output
        == 'This row is for questions that name "opponent armor class 3", "ac 3" or "what ac"; yours names "AC 6".'
    )


def test_a_row_beside_the_one_that_is_named_says_which_that_is() -> None:
    text = "poison of a 6th level cleric"
    clerics, druids = (keyed(each) for each in ("Cleric", "Druid"))
    query = replace(canonical(text), rivals=Siblings([clerics, druids]).read(canonical(text)))
    beside = {"contain_no_rival": {"table": "Cleric", "row": 1}}
    output = refusal(text, query, beside, row("Level 9", "Cleric"))
    assert output == 'This row is about Level 9; your question names "6th level", another row of its table.'
    twin = {"contain_no_rival": {"table": "Druid", "row": 0}}
    output = refusal(text, query, twin, row("Level 6", "Druid"))
    assert output == (
        'This row is about Combat - Druid - Level 6; your question names "6th level" of another table: "cleric".'
    )


def test_an_operator_from_outside_is_named_with_what_it_asks() -> None:
    register_operator(Operator("contain_words", lambda value: None, lambda question, value: False))
    try:
        output = refusal("two words", canonical("two words"), {"contain_words": 3}, row("Oak"))
    finally:
        unregister_operator("contain_words")
    assert output == "This row is for questions that say what contain_words asks for: 3; yours does not."


def test_the_words_of_a_vocabulary_of_the_house_are_found_in_the_question() -> None:
    house = Vocabulary.default()
    text = "cleric, AC-6?"
    assert '"AC-6"' in refusal(text, canonical(text, house), ARMOR, row("Armor Class 3"))


@pytest.mark.parametrize(
    ("query_must", "what"),
    [
        ({"contain": "temperate"}, '"temperate"'),
        ({"contain_all_of": ["psionic", "attack"]}, '"psionic"; and "attack"'),
        ({"contain_one_of": [["cleric", "druid"], ["ac 6"]]}, 'one of "cleric", "druid"; and "ac 6"'),
        ({"contain_range": {"min": 10, "max": 13}}, "a number from 10 to 13"),
        ({"contain_range": {"min": 10, "of": ["int", "wis"]}}, 'a number of at least 10 for one of "int", "wis"'),
        ({"contain_range": {"max": 3, "of": ["ac"]}}, 'a number of at most 3 for "ac"'),
        ({"contain": "psionic", "contain_range": {"min": 1, "max": 2}}, '"psionic"; and a number from 1 to 2'),
    ],
)
def test_a_predicate_is_said_in_words(query_must: object, what: str) -> None:
    assert in_words(query_must) == in_words(json.dumps(query_must)) == f"The question must say {what}."  # type: ignore[arg-type]


@pytest.mark.parametrize("nothing", [None, [[]]])
def test_a_predicate_that_asks_nothing_is_said_in_words(nothing: object) -> None:
    assert in_words(nothing) == in_words(json.dumps(nothing)) == "Any question can return it."  # type: ignore[arg-type]


def test_an_operator_from_outside_is_named_with_its_value() -> None:
    register_operator(Operator("contain_none_of", lambda value: None, lambda question, value: True))
    try:
        assert in_words({"contain_none_of": ["a"]}) == 'The question must say what contain_none_of asks for: ["a"].'
    finally:
        unregister_operator("contain_none_of")
