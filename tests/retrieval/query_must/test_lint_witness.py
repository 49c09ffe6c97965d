import pytest
from hypothesis import given
from hypothesis import strategies as st

from retrieval.query_must import (
    Operator,
    Vocabulary,
    canonical,
    parse_query_must,
    register_operator,
    satisfies_query_must,
    unregister_operator,
)
from retrieval.query_must.lint import minimal_questions
from retrieval.query_must.operators import Group, Term


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
        ({"contain_range": {"min": 1, "max": 3, "of": ["nothing known", "level"]}}, ("level 1", "level 3")),
        ({"contain_range": {"min": 1e-7, "max": 1e22}}, ("0.0000001", "10000000000000000000000")),
        ({}, ("",)),
    ],
)
def test_the_shortest_question_says_one_atom_of_each_group(must, expected):
    assert questions(must) == expected


@pytest.mark.parametrize("term", ["b12 level", "x86 int", "a b52 hd", "x86 int 12"])
def test_a_term_whose_canonical_form_reads_otherwise_is_asked_as_it_is_written(term):
    assert questions({"contain": term}) == (term,)
    assert questions([["—", term, "cleric"], ["ac 6"]]) == (f"{term} ! ac 6",)


def test_a_term_that_says_two_numbers_in_a_question_is_asked_in_canonical_form():
    assert questions({"contain": "AC-2"}) == ("ac -2",)
    assert questions({"contain_all_of": ["AC-2 orc"]}) == ("ac -2 orc",)


def test_only_a_predicate_that_nothing_satisfies_has_no_question():
    # In a question `7/8` beside a level is 7, 8 and 7/8, so the words around it are never beside it.
    assert questions({"contain": "a level 7/8 fighter"}) == ()


PIECES = ["b12", "x86", "AC", "level", "int", "AC-2", "7th", "6", "of", "is", "score", "to", "-", ",", "7/8", "2d6"]
PIECES += ["orcs"]


@given(st.lists(st.sampled_from(PIECES), min_size=1, max_size=5).map(" ".join) | st.text(max_size=12))
def test_a_term_that_stands_in_itself_has_a_question(term):
    must = {"contain": term}
    if canonical(term).has(term):
        (question,) = questions(must)
        assert satisfies_query_must(question, must)


def test_the_written_words_serve_an_operator_from_outside():
    def groups(value, vocabulary):
        return (Group((Term("b 12 level"),), value),)

    register_operator(Operator("about", lambda value: None, lambda question, value: True, groups))
    try:
        assert questions({"about": ["nothing", "the b12 level"]}) == ("the b12 level",)
        assert questions({"about": {"of": "b12 level"}}) == ()
    finally:
        unregister_operator("about")


def test_an_operator_that_cannot_be_compiled_leaves_it_open():
    register_operator(Operator("mentions", lambda value: None, lambda question, value: True))
    try:
        assert questions({"mentions": "x"}) is None
    finally:
        unregister_operator("mentions")
