"""Answers in a terminal."""

import json

import pytest

from retrieval.home import Home

LOOK_UP = "What does a 7th level cleric need to roll to hit AC 6?"


@pytest.fixture
def answered(run, sample: Home, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    return lambda *arguments: run("answer", *arguments, "--home", sample.root)


def test_an_answer_is_read_with_its_source(answered) -> None:
    status, out, _ = answered(LOOK_UP)
    assert status == 0
    assert "Level 7-9: 10" in out
    assert "Read from the books, not generated." in out
    assert "(lantern-and-blade/03-combat.md, line" in out


def test_an_answer_as_json_has_its_cells_and_citations(answered) -> None:
    status, out, _ = answered(LOOK_UP, "--json", "--how", "read")
    found = json.loads(out)
    assert status == 0
    assert found["cells"][0]["text"] == "10"
    assert found["citations"][0]["chunk_id"] == found["cells"][0]["chunk_id"]


def test_a_misspelt_question_is_answered_and_how_it_was_read_is_said(answered) -> None:
    misspelt = LOOK_UP.replace("cleric", "clreic")
    _, out, errors = answered(misspelt)
    assert "Level 7-9: 10" in out
    assert errors == f"read as: {LOOK_UP}\n"
    found, meant = (json.loads(answered(each, "--json")[1]) for each in (misspelt, LOOK_UP))
    assert (found["query"], found["read_as"], meant["read_as"]) == (misspelt, LOOK_UP, None)
    assert found["text"] == meant["text"]


def test_what_no_book_answers_is_said(answered) -> None:
    status, out, errors = answered("How do I cook pasta?")
    assert (status, out.strip()) == (0, "Not in these books.")
    assert "nothing in these books answers" in errors


def test_a_model_without_a_key_is_one_clear_error(answered) -> None:
    status, _, errors = answered(LOOK_UP, "--how", "generate")
    assert status == 2
    assert "OPENAI_API_KEY" in errors
