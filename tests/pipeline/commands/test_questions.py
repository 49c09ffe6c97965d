"""`querymust questions`: what a refused build left is checked, and a fake server writes questions."""

import json

import pytest

from evals.questions.questions import load_questions
from retrieval.index.snapshot.live import live_id
from tests.evals.asked_by_model.conftest import asks_for_each
from tests.openai_server.server import KEY


def test_it_says_what_it_would_cost_and_then_costs_no_more(tiny, chat_server, run, monkeypatch, tmp_path):
    for name, value in chat_server.environment.items():
        monkeypatch.setenv(name, value)
    chat_server.answering = asks_for_each
    home = ("--home", tiny.root)
    planned = run("questions", "by-model", "--dry-run", *home)
    assert planned.out.startswith("2 places in ")
    assert "Nothing was sent." in planned.out
    assert not chat_server.asked
    most = run("questions", "by-model", "--dry-run", "--json", *home).json["most_usd"]

    done = run("questions", "by-model", "--out", tmp_path / "asked", "--budget", most, "--json", *home).json
    assert (done["questions"], done["left"]) == (4, [])
    assert 0 < done["usd"] < most
    (file,) = (tmp_path / "asked").rglob("*.json")
    assert [question.tags for question in load_questions(file)] == [("generated", "by-model")] * 4
    again = run("questions", "by-model", "--out", tmp_path / "asked", *home)
    assert again.out.startswith("4 questions in 1 file under ")
    assert again.err == "0 tokens, $0.0000\n"
    assert len(chat_server.asked) == 2
    assert run("questions", "check", file, *home).status == 0
    assert KEY not in "".join(str(each) for each in (planned, done, again))


@pytest.mark.usefixtures("builds_here")
def test_with_nothing_live_the_build_and_the_check_name_the_same_stale_gold(tiny, run, tmp_path):
    (tiny.root / "live").unlink()
    stale = {"id": "gone", "query": "What does a mace cost?", "gold": [{"snippet": "| Mace | 1d6 | 9 gp |"}]}
    found = stale | {"id": "found", "gold": [{"snippet": "| Mace | 1d6 | 8 gp |"}]}
    file = tmp_path / "asked.jsonl"
    file.write_text("\n".join(map(json.dumps, (stale, found))))
    cause = "gone: snippet '| Mace | 1d6 | 9 gp |' is found nowhere"
    built = run("build", "--library", tiny.library, "--questions", file, "--home", tiny.root)
    assert built.status == 1
    assert cause in built.err
    assert live_id(tiny.root) is None
    checked = run("questions", "check", file, "--home", tiny.root)
    assert (checked.status, checked.out) == (1, "2 questions, 2 with gold, 1 resolved\n")
    assert checked.err == f"error: stale: {cause}\n"


def test_without_a_key_it_names_the_twin_that_needs_none(tiny, run, monkeypatch, tmp_path):
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    told = run("questions", "by-model", "--out", tmp_path / "asked", "--home", tiny.root)
    assert (told.status, told.out) == (2, "")
    (line,) = told.err.splitlines()
    assert line.endswith("gpt-4o-mini needs OPENAI_API_KEY; set it, or run: querymust questions generate")
    assert not (tmp_path / "asked").exists()
