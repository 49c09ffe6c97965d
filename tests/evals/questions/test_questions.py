import gzip
import json
from pathlib import Path

import pytest

from evals.errors import QuestionsError
from evals.questions.anchors import Anchor
from evals.questions.questions import Question, load_questions, write_questions
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


def test_a_gold_entry_without_book_stands_in_the_questions_book_and_file_is_a_document(tmp_path):
    entry = {
        "id": "q",
        "query": "x",
        "book": "osric",
        "gold": [{"file": "osric/a.md", "row_header": "| L |", "line": 3}],
    }
    (tmp_path / "q.jsonl").write_text(json.dumps(entry))
    assert load_questions(tmp_path / "q.jsonl")[0].gold == (Anchor("osric", document="a.md", line=3),)


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
    found = problems_of(tmp_path / "q.jsonl", "\n".join(lines))
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
    assert len(found) == len(expected)
    for problem, parts in zip(found, expected, strict=True):
        assert problem.startswith(parts[0])
        assert all(part in problem for part in parts)


def test_a_repeated_id_names_both_lines(tmp_path):
    line = '{"id": "a", "query": "x", "gold": []}\n'
    (problem,) = problems_of(tmp_path / "q.jsonl", line + "\n" + line)
    assert problem.startswith(":3: id 'a' is already used at")
    assert problem.endswith("q.jsonl:1")


def test_a_query_of_2001_characters_is_refused(tmp_path):
    (problem,) = problems_of(tmp_path / "q.jsonl", json.dumps({"id": "a", "query": "x" * 2001, "gold": []}))
    assert "2001 characters" in problem


def test_a_broken_array_is_refused_with_its_line(tmp_path):
    (problem,) = problems_of(tmp_path / "q.json", '[\n{"id": "a",}]')
    assert problem.startswith(":2: not JSON")
    (problem,) = problems_of(tmp_path / "q.json", '{"id": "a"}')
    assert "not an array" in problem


@pytest.mark.parametrize(("name", "data"), [("q.jsonl", b"\xff\xfe"), ("q.jsonl.gz", b"plain"), ("q.jsonl", b"\n")])
def test_unreadable_and_empty_files_are_refused(tmp_path, name, data):
    (tmp_path / name).write_bytes(data)
    with pytest.raises(QuestionsError, match=r"q\.jsonl"):
        load_questions(tmp_path / name)


def test_a_cut_gzip_file_is_refused(tmp_path):
    (tmp_path / "q.jsonl.gz").write_bytes(gzip.compress(b'{"id": "a"}' * 100)[:-12])
    with pytest.raises(RetrievalError, match=r"q\.jsonl\.gz"):
        load_questions(tmp_path / "q.jsonl.gz")


def test_a_missing_file_is_missing(tmp_path):
    with pytest.raises(FileNotFoundError):
        load_questions(tmp_path / "none.jsonl")
