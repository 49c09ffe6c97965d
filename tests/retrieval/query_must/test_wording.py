import json

import pytest

from retrieval.query_must import Operator, in_words, register_operator, unregister_operator


@pytest.mark.parametrize(
    ("query_must", "words"),
    [
        (None, "Any question may have it."),
        ([[]], "Any question may have it."),
        ({"contain": "temperate"}, 'The question must say "temperate".'),
        ({"contain_all_of": ["psionic", "attack"]}, 'The question must say "psionic"; and "attack".'),
        (
            {"contain_one_of": [["cleric", "druid"], ["ac 6"]]},
            'The question must say one of "cleric", "druid"; and "ac 6".',
        ),
        ({"contain_range": {"min": 10, "max": 13}}, "The question must say a number from 10 to 13."),
        (
            {"contain_range": {"min": 10, "of": ["int", "wis"]}},
            'The question must say a number of at least 10 for one of "int", "wis".',
        ),
        ({"contain_range": {"max": 3, "of": ["ac"]}}, 'The question must say a number of at most 3 for "ac".'),
        (
            {"contain": "psionic", "contain_range": {"min": 1, "max": 2}},
            'The question must say "psionic"; and a number from 1 to 2.',
        ),
    ],
)
def test_a_predicate_is_said_in_words(query_must: object, words: str) -> None:
    assert in_words(query_must) == words  # type: ignore[arg-type]
    assert in_words(json.dumps(query_must)) == words


def test_an_operator_from_outside_is_named_with_its_value() -> None:
    register_operator(Operator("contain_none_of", lambda value: None, lambda question, value: True))
    try:
        assert in_words({"contain_none_of": ["a"]}) == 'The question must say what contain_none_of asks for: ["a"].'
    finally:
        unregister_operator("contain_none_of")
