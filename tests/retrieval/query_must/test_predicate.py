"""The reading of a predicate: how the first implementation of this idea calls it."""

import json
import logging

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retrieval.query_must import Vocabulary, extract_query_must, satisfies_query_must
from retrieval.query_must.predicate import predicates_in

MUST = {"contain_one_of": [["cleric"], ["ac 6"]]}


@pytest.mark.parametrize("debug", [True, False])
@pytest.mark.parametrize(("question", "holds"), [("a cleric against AC 6", True), ("a cleric against AC 7", False)])
def test_debug_is_taken_third_or_by_name_and_decides_nothing(question: str, holds: bool, debug: bool) -> None:
    assert satisfies_query_must(question, MUST, debug) is holds
    assert satisfies_query_must(question, MUST, debug=debug) is holds
    assert satisfies_query_must(question, MUST, Vocabulary.default(), debug=debug) is holds


def test_debug_logs_the_reason_and_nothing_is_logged_without_it(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO)
    satisfies_query_must("a cleric against AC 7", MUST)
    satisfies_query_must("a cleric against AC 7", MUST, False)
    assert caplog.messages == []
    satisfies_query_must("a cleric against AC 7", MUST, True)
    satisfies_query_must("a cleric against AC 6", MUST, debug=True)
    satisfies_query_must("anything", None, debug=True)
    assert caplog.messages == ['contain_one_of failed group: ["ac 6"]', "satisfies query_must", "no restrictions"]


def test_json_with_query_must_is_extracted_and_cleaned():
    must = extract_query_must("# Matrix\n" + json.dumps({"title": "AC 6", "query_must": MUST, "level 1": 10}) + "\nend")
    assert json.loads(must.query_must) == MUST
    assert must.content == '# Matrix\n{"title": "AC 6", "level 1": 10}\nend'


@pytest.mark.parametrize(
    "content",
    [
        pytest.param('{"title":  "AC 6", "level 1": 10}', id="JSON without query_must"),
        pytest.param('{"query_must": {"contain": "x"', id="invalid JSON"),
        pytest.param("no braces, no query_must", id="plain text"),
        pytest.param('{"query_must":' + '{"a":' * 5000, id="nesting beyond reason"),
    ],
)
def test_what_holds_no_predicate_is_left_alone(content):
    assert extract_query_must(content) == (None, content)


def test_of_multiple_json_objects_the_first_query_must_counts_and_all_are_taken_out():
    first, second = {"title": "a"}, {"title": "b", "query_must": MUST}
    third = {"title": "c", "query_must": {"contain": "x"}, "d": 4}
    must = extract_query_must("before\n" + "\nand ".join(map(json.dumps, (first, second, third))) + "\nafter")
    assert json.loads(must.query_must) == MUST
    assert must.content == 'before\n{"title": "a"}\nand {"title": "b"}\nand {"title": "c", "d": 4}\nafter'


def test_objects_without_a_query_must_keep_their_bytes_between_those_that_have_one():
    untidy = '{"title":   "as written" }'
    must = json.dumps({"query_must": MUST})
    assert extract_query_must(must + untidy + must).content == "{}" + untidy + "{}"


def test_every_row_of_several_is_found_with_its_place():
    rows = [{"title": "a", "query_must": MUST}, {"title": "b"}, {"title": "c", "query_must": {"contain": "x"}}]
    apart = "".join(map(json.dumps, rows))
    assert [apart[predicate:].startswith('{"title"') for predicate in predicates_in(apart)] == [True, True]
    assert len(set(predicates_in(apart))) == 2
    assert predicates_in("in one array: " + json.dumps(rows)) == (15, 15 + len(json.dumps(rows[:2])) - 1 + 1)
    assert predicates_in('{"query_must": {}} and "query_must" as a word') == ()
    assert predicates_in('{"a": [{"query_must": {"contain": "x"}}, {"query_must": {"contain": "y"}}]}') == (0, 0)


NESTED = {"contain_one_of": [["psionic"]], "contain_range": {"min": 10, "max": 13, "of": ["int", "wis"]}}


@pytest.mark.parametrize(
    ("given", "must", "left"),
    [
        ({"query_must": NESTED}, NESTED, {}),
        ([{"row": {"query_must": MUST, "a": 1}}], MUST, [{"row": {"a": 1}}]),
        ({"row": {"query_must": {"contain": "x"}, "a": 1}, "query_must": MUST}, MUST, {"row": {"a": 1}}),
    ],
    ids=["nested itself", "inside another object and a list", "the outer one of two"],
)
def test_a_predicate_is_found_at_any_depth_and_taken_out_whole(given, must, left):
    extracted = extract_query_must(json.dumps(given))
    assert (json.loads(extracted.query_must), json.loads(extracted.content)) == (must, left)


def test_an_empty_predicate_is_no_predicate():
    assert extract_query_must('{"query_must": {}, "a": 1}') == (None, '{"a": 1}')
    assert extract_query_must('{"query_must": null, "a": 1}') == (None, '{"a": 1}')
    assert extract_query_must('{"query_must": {}} {"query_must": {"contain": "x"}}') == (None, "{} {}")


def test_indentation_and_letters_are_kept():
    content = json.dumps({"title": "Mêlée", "n": {"a": 1.5}, "query_must": MUST}, indent=4, ensure_ascii=False)
    expected = json.dumps({"title": "Mêlée", "n": {"a": 1.5}}, indent=4, ensure_ascii=False)
    assert extract_query_must(content).content == expected


def test_braces_of_prose_before_the_object_do_no_harm():
    assert extract_query_must('a {set} of {"query_must": {"contain": "x"}}') == ('{"contain": "x"}', "a {set} of {}")


@given(st.text(max_size=40), st.dictionaries(st.text(max_size=5), st.integers() | st.text(max_size=5), max_size=4))
def test_everything_but_the_predicate_survives(prose, row):
    prose = prose.replace("{", "")
    row.pop("query_must", None)
    must = extract_query_must(prose + json.dumps({**row, "query_must": MUST}))
    assert json.loads(must.query_must) == MUST
    assert must.content.startswith(prose)
    assert json.loads(must.content[len(prose) :]) == row
