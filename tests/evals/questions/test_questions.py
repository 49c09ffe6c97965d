"""Which questions are shown to a newcomer."""

import gzip
import json
from pathlib import Path

import pytest

from evals.errors import QuestionsError
from evals.questions.questions import GENERATED, Anchor, Question, examples, load_questions, write_questions
from retrieval.errors import RetrievalError

FULL = Question(
    id="q1",
    query="What does AC −6 “need”?",
    book="osric",
    kind="matrix-lookup",
    gold=(Anchor("osric", ("A", "B"), "Fighter", "5-8", "| 5-8 | 24 |", "01-x.md", 623), Anchor("other", ("C",))),
    answer="16",
    tags=("generated",),
    keys={"level": "7"},
)
UNANSWERABLE = Question(id="q2", query="Who is king?")


def problems_of(path: Path, text: str) -> list[str]:
    path.write_text(text, encoding="utf-8")
    with pytest.raises(QuestionsError) as caught:
        load_questions(path)
    return [problem.removeprefix(str(path)) for problem in caught.value.problems]


@pytest.mark.parametrize("name", ["q.jsonl", "q.jsonl.gz", "doc.evaluation_queries.json"])
def test_what_is_written_is_read_back(tmp_path, name):
    write_questions(tmp_path / name, [FULL, UNANSWERABLE])
    assert load_questions(tmp_path / name) == (FULL, UNANSWERABLE)


@pytest.mark.parametrize("name", ["q.jsonl", "q.jsonl.gz", "q.json"])
def test_the_same_questions_give_the_same_bytes(tmp_path, name):
    for folder in ("a", "b"):
        write_questions(tmp_path / folder / name, [FULL, UNANSWERABLE])
    assert (tmp_path / "a" / name).read_bytes() == (tmp_path / "b" / name).read_bytes()
    assert [path.name for path in (tmp_path / "a").iterdir()] == [name]


def test_every_problem_is_reported_at_once_with_line_and_value(tmp_path):
    lines = [
        '{"id": 1, "query": "x", "gold": [{"line": "many"}]}',
        "",
        '{"id": "a", "query": " ", "gold": [], "anwser": "x"}',
        "not json",
        "[]",
        '{"id": "b", "query": "x", "gold": [{"line": 3}]}',
        '{"id": "c", "query": "x"}',
        '{"id": "d", "query": "x", "gold": null}',
        '{"id": "e", "query": "x", "gold": [{"snipet": "s", "row_key": "k"}]}',
    ]
    problems = problems_of(tmp_path / "q.jsonl", "\n".join(lines))
    expected = [
        (":1:", "id", "'1'"),
        (":1:", "gold.0.line", "'many'"),
        (":3:", "'anwser'", "no field"),
        (":3:", "query", "1 characters, not 1 to 2000: ' '"),
        (":4:", "not JSON", "'not json'"),
        (":5:", "not an object", "'[]'"),
        (":6:", "gold.0", "names no snippet"),
        (":7:", "gold", "write []"),
        (":8:", "gold", "'None'"),
        (":9:", "'gold.snipet'", "no field"),
    ]
    assert len(problems) == len(expected)
    for problem, parts in zip(problems, expected, strict=True):
        assert problem.startswith(parts[0])
        assert all(part in problem for part in parts)


def test_a_repeated_id_names_both_lines(tmp_path):
    line = '{"id": "a", "query": "x", "gold": []}\n'
    (problem,) = problems_of(tmp_path / "q.jsonl", line + "\n" + line)
    assert problem.startswith(":3: id 'a' is already used at")
    assert problem.endswith("q.jsonl:1")


@pytest.mark.parametrize(("name", "data"), [("q.jsonl", b"\xff\xfe"), ("q.jsonl.gz", b"plain"), ("q.jsonl", b"\n")])
def test_unreadable_and_empty_files_are_refused(tmp_path, name, data):
    (tmp_path / name).write_bytes(data)
    with pytest.raises(QuestionsError, match=r"q\.jsonl"):
        load_questions(tmp_path / name)


def test_files_that_are_cut_missing_or_hold_too_long_a_query_are_refused(tmp_path):
    (problem,) = problems_of(tmp_path / "q.jsonl", json.dumps({"id": "a", "query": "x" * 2001, "gold": []}))
    assert "2001 characters" in problem
    (problem,) = problems_of(tmp_path / "q.json", '[\n{"id": "a",}]')
    assert problem.startswith(":2: not JSON")
    (problem,) = problems_of(tmp_path / "q.json", '{"id": "a"}')
    assert "not an array" in problem
    (tmp_path / "q.jsonl.gz").write_bytes(gzip.compress(b'{"id": "a"}' * 100)[:-12])
    with pytest.raises(RetrievalError, match=r"q\.jsonl\.gz"):
        load_questions(tmp_path / "q.jsonl.gz")
    with pytest.raises(FileNotFoundError):
        load_questions(tmp_path / "none.jsonl")


def read(tmp_path, gold, **given):
    path = tmp_path / "q.jsonl"
    path.write_text(json.dumps({"id": "q", "query": "x", **given, "gold": gold}))
    return load_questions(path)[0].gold


def problem(tmp_path, gold, **given):
    with pytest.raises(QuestionsError) as caught:
        read(tmp_path, gold, **given)
    (result,) = caught.value.problems
    return result


def test_a_file_names_book_and_document_and_wins_over_the_questions_book(tmp_path):
    entry = {"file": "osric/a.md", "row_header": "| L |", "line": 3}
    assert read(tmp_path, [entry]) == (Anchor("osric", document="a.md", line=3),)
    assert read(tmp_path, [{"file": "osric/part/a.md"}]) == (Anchor("osric", document="part/a.md"),)
    gold = read(tmp_path, [{"file": "fiends/a.md"}, {"row_key": "6"}], book="osric")
    assert gold == (Anchor("fiends", document="a.md"), Anchor("osric", row_key="6"))


@pytest.mark.parametrize("file", ["a.md", "/a.md", "osric/", "", 7])
def test_a_file_that_is_not_book_and_document_is_refused(tmp_path, file):
    result = problem(tmp_path, [{"file": file, "row_key": "6"}], book="osric")
    assert f"gold.0.file: not <book>/<document>: {str(file)!r}" in result


@pytest.mark.parametrize("beside", [{"book": "fiends"}, {"document": "b.md"}])
def test_a_file_that_contradicts_what_stands_beside_it_is_refused(tmp_path, beside):
    assert "gold.0: file 'osric/a.md' and" in problem(tmp_path, [{"file": "osric/a.md", **beside}])
    agreeing = {"file": "osric/a.md", "book": "osric", "document": "a.md"}
    assert read(tmp_path, [agreeing]) == (Anchor("osric", document="a.md"),)


def test_a_group_is_read_and_its_anchors_get_the_questions_book(tmp_path):
    gold = read(tmp_path, [{"row_key": "1"}, {"any_of": [{"row_key": "2"}, {"file": "c/a.md"}]}], book="b")
    assert gold == (Anchor("b", row_key="1"), Anchor("b", row_key="2", group=1), Anchor("c", document="a.md", group=1))


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


GOLD = (Anchor(document="01.md"),)


def question(query: str, kind: str, *tags: str, gold: tuple[Anchor, ...] = GOLD) -> Question:
    return Question(query, query, kind=kind, tags=tags, gold=gold)


def test_those_of_people_that_are_answered_come_first_one_of_each_kind() -> None:
    result = examples(
        [
            question("by a program", "lookup", GENERATED),
            question("by a person", "lookup"),
            question("not in the books", "lookup", "example", gold=()),
            question("to be shown", "list", "example"),
            question("of the same kind", "list", "example"),
            question("rare", "count", GENERATED),
        ]
    )
    assert result == ("to be shown", "by a person", "rare")


def test_fewer_kinds_are_filled_up_and_no_question_is_shown_twice() -> None:
    request = [question(query, "lookup") for query in ("a", "b", "b", "c", "d")]
    assert examples(request) == ("a", "b", "c")
    assert examples([]) == ()


def test_of_a_file_in_another_format_one_line_is_shown(tmp_path: Path) -> None:
    path = tmp_path / "questions.tsv"
    path.write_text("query\tanswer\n" * 30)
    with pytest.raises(QuestionsError, match="holds no JSON") as raised:
        load_questions(path)
    assert str(raised.value).count("not JSON") == 1
