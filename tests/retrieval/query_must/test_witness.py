import pytest

from retrieval.query_must import Operator, Vocabulary, parse_query_must, register_operator, unregister_operator
from retrieval.query_must.witness import minimal_questions


def questions(must):
    return minimal_questions(parse_query_must(must, strict=True), Vocabulary.default())


@pytest.mark.parametrize(
    ("must", "expected"),
    [
        ([["cleric", "druid"], ["ac 6"]], ("cleric ! ac 6",)),
        ({"contain_range": {"min": 10, "max": 13, "of": ["wisdom"]}}, ("wis 10", "wis 13")),
        ({"contain_range": {"max": 3, "of": ["level"]}}, ("level 3",)),
        ({"contain_range": {"min": 0.5}}, ("0.5",)),
        ({"contain": 6}, ("6",)),
        ({"contain_range": {"min": 1, "of": ["nothing known"]}}, ()),
        ({}, ("",)),
    ],
)
def test_the_shortest_question_says_one_atom_of_each_group(must, expected):
    assert questions(must) == expected


def test_an_operator_that_cannot_be_compiled_leaves_it_open():
    register_operator(Operator("mentions", lambda value: None, lambda question, value: True))
    try:
        assert questions({"mentions": "x"}) is None
    finally:
        unregister_operator("mentions")
