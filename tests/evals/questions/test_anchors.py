import json

import pytest

from evals.errors import QuestionsError
from evals.questions.anchors import Anchor
from evals.questions.questions import Question, load_questions, write_questions


def read(tmp_path, gold, **given):
    path = tmp_path / "q.jsonl"
    path.write_text(json.dumps({"id": "q", "query": "x", **given, "gold": gold}))
    return load_questions(path)[0].gold


def problem(tmp_path, gold, **given):
    with pytest.raises(QuestionsError) as caught:
        read(tmp_path, gold, **given)
    (found,) = caught.value.problems
    return found


def test_file_names_book_and_document_where_the_question_names_no_book(tmp_path):
    assert read(tmp_path, [{"file": "osric/a.md"}]) == (Anchor("osric", document="a.md"),)
    assert read(tmp_path, [{"file": "osric/part/a.md"}]) == (Anchor("osric", document="part/a.md"),)


def test_file_wins_over_the_questions_book(tmp_path):
    gold = read(tmp_path, [{"file": "fiends/a.md"}, {"row_key": "6"}], book="osric")
    assert gold == (Anchor("fiends", document="a.md"), Anchor("osric", row_key="6"))


@pytest.mark.parametrize("file", ["a.md", "/a.md", "osric/", "", 7])
def test_a_file_that_is_not_book_and_document_is_refused(tmp_path, file):
    found = problem(tmp_path, [{"file": file, "row_key": "6"}], book="osric")
    assert f"gold.0.file: not <book>/<document>: {str(file)!r}" in found


@pytest.mark.parametrize("beside", [{"book": "fiends"}, {"document": "b.md"}])
def test_a_file_that_contradicts_what_stands_beside_it_is_refused(tmp_path, beside):
    assert "gold.0: file 'osric/a.md' and" in problem(tmp_path, [{"file": "osric/a.md", **beside}])
    agreeing = {"file": "osric/a.md", "book": "osric", "document": "a.md"}
    assert read(tmp_path, [agreeing]) == (Anchor("osric", document="a.md"),)


def test_a_group_is_read_and_its_anchors_get_the_questions_book(tmp_path):
    gold = read(tmp_path, [{"row_key": "1"}, {"any_of": [{"row_key": "2"}, {"file": "c/a.md"}]}], book="b")
    assert gold == (
        Anchor("b", row_key="1"),
        Anchor("b", row_key="2", group=1),
        Anchor("c", document="a.md", group=1),
    )


@pytest.mark.parametrize("name", ["q.jsonl", "q.json"])
def test_groups_are_written_and_read_back(tmp_path, name):
    first, second = Anchor(row_key="1", group=0), Anchor(row_key="2", group=0)
    question = Question("q", "x", gold=(first, second, Anchor(row_key="3"), Anchor(row_key="4", group=2)))
    write_questions(tmp_path / name, [question])
    assert load_questions(tmp_path / name) == (question,)


@pytest.mark.parametrize(
    ("entry", "words"),
    [
        ({"any_of": []}, "gold.0.any_of: not a list of anchors: '[]'"),
        ({"any_of": {"row_key": "6"}}, "gold.0.any_of: not a list of anchors"),
        ({"any_of": [{"row_key": "6"}], "book": "b"}, "gold.0: any_of has book beside it"),
        ({"any_of": [{"row_key": "6"}, {"line": 3}]}, "gold.0.any_of.1: names no snippet"),
        ({"any_of": [{"row_key": "6"}, {"row_key": 6}]}, "gold.0.any_of.1.row_key: "),
        ({"any_of": [{"any_of": [{"row_key": "6"}]}]}, "no field is called 'gold.any_of'"),
        ({"row_key": "6", "group": 1}, "no field is called 'gold.group'"),
    ],
)
def test_a_group_that_cannot_be_used_is_named_with_its_place(tmp_path, entry, words):
    with pytest.raises(QuestionsError) as caught:
        read(tmp_path, [entry])
    assert words in caught.value.problems[0]
