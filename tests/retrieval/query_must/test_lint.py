import json

import pytest

from retrieval.index.sibling_tables import keyed_tables
from retrieval.ingest.chunking import chunks_of_book
from retrieval.ingest.library.book import read_book
from retrieval.ingest.library.library import list_books
from retrieval.language.vocabulary import Vocabulary
from retrieval.query_must import LintItem, Operator, lint, register_operator, unregister_operator, unusable


def item(must, title="Attack Matrix for Clerics - Armour Class 6", **more):
    text = must if must is None or isinstance(must, str) else json.dumps(must)
    return LintItem(**{"id": "row", "title": title, "table_id": "matrix", "query_must": text, **more})


def rules(*items):
    return [finding.rule for finding in lint(items)]


GOOD = {"contain_one_of": [["cleric", "druid"], ["ac 6", "armor class 6"]]}


def test_a_good_predicate_and_none_at_all_have_nothing_to_find():
    assert rules(item(GOOD), item(None, id="other")) == []


@pytest.mark.parametrize(
    ("must", "rule"),
    [
        ("no json", "invalid"),
        ({"contain_range": {"min": 3, "max": 1}}, "invalid"),
        ({"contain_any": ["x"]}, "unknown_operator"),
        ({"contain_range": {"min": 1, "of": ["temperature of the sea"]}}, "unsatisfiable"),
        ({"contain": "ac 7"}, "self_excluding"),
        ({"contain_one_of": [["cleric"], ["ac 5"]]}, "self_excluding"),
        ({"contain_one_of": [["—", "cleric"]]}, "empty_term"),
        ({"contain_all_of": ["cleric", ""]}, "empty_term"),
        ({"contain": "*"}, "empty_term"),
    ],
)
def test_each_rule_finds_its_fault(must, rule):
    (finding,) = lint([item(must)])
    assert finding.rule == rule
    assert (finding.id, finding.table_id) == ("row", "matrix")
    assert finding.message


@pytest.mark.parametrize("term", ["b12 level", "x86 int", "a b52 hd"])
def test_a_term_that_a_question_can_say_is_satisfiable(term):
    assert rules(item({"contain": term}, title=f"The {term}")) == []


def test_a_range_without_a_label_is_found_in_a_table_with_several_numbers():
    must = {"contain_range": {"min": 6, "max": 8}}
    assert rules(item(must, numeric_columns=2)) == ["unlabelled_range"]
    assert rules(item(must, numeric_columns=1)) == []
    assert rules(item({"contain_range": {"min": 6, "max": 8, "of": ["ac"]}}, numeric_columns=2)) == []


def test_a_table_that_is_not_strict_needs_no_predicate():
    assert rules(item(GOOD, strict=False)) == ["not_strict"]
    assert rules(item(GOOD, strict=True)) == []


def test_siblings_that_one_question_admits_shadow_each_other():
    rows = [
        item({"contain": "cleric"}, id="a"),
        item(GOOD, id="b"),
        item({"contain": "ac 6"}, id="c", table_id="another"),
    ]
    (finding,) = lint(rows)
    assert (finding.rule, finding.id) == ("shadowed", "b")
    assert finding.message.endswith("admits a")


def test_ranges_that_overlap_shadow_at_the_shared_end():
    def rows(first_high):
        spans = [("1-5", 1, first_high), ("5-8", 5, 8)]
        return [
            item({"contain_range": {"min": low, "max": high, "of": ["level"]}}, id=name, title="Level 1 to 8")
            for name, low, high in spans
        ]

    assert rules(*rows(first_high=4)) == []
    assert rules(*rows(first_high=5)) == ["shadowed", "shadowed"]


def test_many_shadows_are_counted_not_listed():
    rows = [item({"contain": "cleric"}, id=f"r{n}") for n in range(6)]
    findings = lint(rows)
    assert len(findings) == 6
    assert findings[0].message.endswith("r1, r2, r3 and others")


def test_what_a_model_got_wrong_is_dropped():
    rows = [
        item(GOOD, id="good"),
        item({"contain": "ac 9"}, id="hides its row"),
        item({"contain_range": {"min": 1, "of": ["nothing"]}}, id="unsatisfiable"),
        item({"contain_any": 1}, id="unknown"),
    ]
    assert unusable(lint(rows)) == {"hides its row", "unsatisfiable"}


def test_severity_tells_faults_from_doubts():
    result = lint([item({"contain": "ac 9"}, id="a"), item(GOOD, id="b", strict=False)])
    assert [finding.severity for finding in result] == ["error", "warning"]


def test_nothing_is_claimed_about_an_operator_that_cannot_be_compiled():
    register_operator(Operator("mentions", lambda value: None, lambda question, value: value in question.tokens))
    try:
        assert rules(item({"mentions": "cleric"})) == []
        assert rules(item({"mentions": "fighter"})) == ["self_excluding"]
    finally:
        unregister_operator("mentions")


OUR_OWN = """# Notes

## Edit a note

| Attribute | Type |
|---|---|
| id | integer |
| note_id | integer |
| body | text |

## Loyalty

| Adjusted Loyalty Score | Loyalty |
|---|---|
| 01-25 | Disloyal |
| 26-50 | Little |
| 76-100 | Loyal |
| > 100 | Fanatic |
"""
"""Two tables whose predicates the ingest writes: a row of either is called what names another row, too."""


def test_a_predicate_that_the_ingest_writes_is_no_error_where_the_title_names_a_sibling(tmp_path):
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes" / "01.md").write_text(OUR_OWN)
    chunks = chunks_of_book(read_book(list_books(tmp_path)[0]), Vocabulary.default())
    items = [
        LintItem(chunk.id, chunk.title, chunk.table_id or "", chunk.query_must) for chunk in chunks if chunk.query_must
    ]
    result = lint(items, tables=keyed_tables(chunks).tables)
    titles = {item.id: item.title for item in items}
    assert {(titles[each.id], each.rule, each.severity) for each in result} == {
        ("Edit a note - id", "names_sibling", "warning")
    }
    assert unusable(result) == {each.id for each in result}
