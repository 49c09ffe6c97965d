"""One stage at a time, as a person runs them."""

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from retrieval.files.records import read_jsonl
from retrieval.index.chroma import collection_named, facts, open_chroma
from retrieval.types import Chunk, Row
from tests.openai_server.passage_model import describing
from tests.openai_server.server import KEY, FakeOpenAi
from tests.openai_server.table_model import reading_tables

TEXT = """# Guide

## To Hit

| Armor Class | Level 1 | Level 2 | Level 3 |
|---|---|---|---|
| 9 | 11 | 10 | 9 |
| 8 | 12 | 11 | 10 |

## Weapons

| Weapon | Damage |
|---|---|
| dagger | 1d4 |
| mace | 1d6 |
"""
Run = Callable[..., Any]


@pytest.fixture
def guide(tmp_path: Path, chat_server: FakeOpenAi, monkeypatch: pytest.MonkeyPatch) -> Path:
    chat_server.answering = reading_tables
    for name, value in chat_server.environment.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setenv("QUERYMUST_HOME", str(tmp_path / "home"))
    (tmp_path / "other.md").write_text("# Other\n\nNot of this book.\n")
    (tmp_path / "guide.md").write_text(TEXT)
    return tmp_path / "guide.md"


def test_a_dry_run_says_tokens_and_dollars_and_sends_nothing(run: Run, guide: Path, chat_server: FakeOpenAi) -> None:
    done = run("transform-tables", guide, "--dry-run")
    assert done.status == 0
    assert done.out.startswith("2 tables chosen. 2 tables to send: about ")
    assert done.out.endswith("Nothing was sent.\n")
    told = run("transform-tables", guide, "--dry-run", "--json", "--model", "llama3").json
    assert (told["n_tables"], told["model"], told["most_usd"]) == (2, "llama3", None)
    halved = run("transform-tables", guide, "--dry-run", "--json", "--batch").json
    assert 2 * halved["most_usd"] == pytest.approx(
        run("transform-tables", guide, "--dry-run", "--json").json["most_usd"]
    )
    named = run("transform-tables", guide, "--dry-run", "--json", "--batch", "--names").json
    assert 0 < named["most_usd"] < halved["most_usd"]
    assert chat_server.asked == []
    assert not (guide.parent / "home").exists()


def test_three_stages_make_a_collection_that_knows_which_questions_a_row_is_for(run, guide, chat_server, tmp_path):
    rows, chunks, chroma = tmp_path / "rows", tmp_path / "chunks.jsonl", tmp_path / "chroma"
    (tmp_path / "list.md").write_text("- To Hit\n")
    done = run("transform-tables", guide, "--table-list", tmp_path / "list.md", "--output", rows)
    assert (done.status, len(chat_server.asked)) == (0, 1)
    assert "guide: 4 rows; gpt-4o-mini read 1 tables" in done.out
    made = read_jsonl(rows / "guide" / "table_rows.jsonl", Row)
    load = json.loads(made[0].content)["query_must"]
    assert load == {"contain_one_of": [["armor class 9"]]}
    assert run("chunk", rows, "--output", chunks, "--json").json["guarded"] == 4
    chunk = next(each for each in read_jsonl(chunks, Chunk) if each.row_key == "9")
    assert (json.loads(chunk.query_must or ""), "query_must" in chunk.text) == (load, False)
    assert run("embed", chunks, "guide", "--chroma", chroma).status == 0
    question = ("collections", "search", "what hits ac 9?", "--chroma", chroma, "--json")
    titles = [hit["title"] for hit in run(*question).json["hits"]]
    assert "To Hit - Armor Class 9" in titles
    assert "To Hit - Armor Class 8" not in titles


def test_a_collection_is_added_to_unless_it_is_emptied(run: Run, guide: Path, tmp_path: Path) -> None:
    chroma = tmp_path / "chroma"
    for name in ("guide", "other"):
        run("chunk", guide.with_name(f"{name}.md"), "--output", tmp_path / f"{name}.jsonl")
    sizes = [
        run("embed", tmp_path / f"{name}.jsonl", "book", "--chroma", chroma, "--json", *more).json["records"]
        for name, more in (("guide", ()), ("guide", ()), ("other", ()), ("other", ("--truncate",)))
    ]
    assert sizes == [sizes[0], sizes[0], sizes[0] + 1, 1]
    with open_chroma(chroma) as client:
        (result,) = facts(client)
        assert (result.name, result.records, result.dimensions) == ("book", 1, 384)
        record = collection_named(client, "book").query(query_embeddings=[[1.0] * 384], n_results=1)
        assert record["metadatas"][0][0]["title"] == "Other"
    wrong = run("embed", tmp_path / "other.jsonl", "?", "--chroma", chroma)
    assert (wrong.status, "Chroma does not accept the collection '?'" in wrong.err) == (2, True)


def test_what_a_person_can_fix_is_one_line(run, guide, tmp_path, chat_server, monkeypatch):
    (tmp_path / "list.md").write_text("- To hit\n- Armour\n")
    unknown = run("transform-tables", guide, "--table-list", tmp_path / "list.md", "--output", tmp_path / "rows")
    assert (unknown.status, unknown.err.splitlines()[0]) == (2, "error: no table is called 'Armour'")
    assert run("transform-tables", tmp_path / "nothing.md", "--dry-run").status == 2
    assert run("transform-tables", guide).status == 2
    assert run("embed", tmp_path / "nothing.jsonl", "c").status == 2
    assert "the price of 'llama3' is unknown" in run("transform-tables", guide, "--model", "llama3", "--budget", 1).err
    assert chat_server.asked == []
    chat_server.plan = lambda _: "key"
    refused = run("transform-tables", guide, "--output", tmp_path / "rows")
    assert refused.status == 2
    (line,) = refused.err.splitlines()
    assert "the key in OPENAI_API_KEY was rejected" in line
    assert KEY not in line
    monkeypatch.delenv("OPENAI_API_KEY")
    without = run("transform-tables", guide, "--output", tmp_path / "rows")
    assert (without.status, "2 left to the rules (no key)" in without.out) == (0, True)


PROSE = """# Guide

## Camps

Whoever sleeps in the open must roll 5 or more on one die, or wakes with a cold in the morning.
"""


def test_passages_are_described_by_a_model_as_far_as_what_it_says_holds(run, guide, chat_server, tmp_path, monkeypatch):
    chat_server.answering = describing
    guide.write_text(PROSE)
    planned = run("describe-passages", guide, "--dry-run")
    assert planned.out.startswith("1 passage. 1 passages to send: about ")
    assert planned.out.endswith("Nothing was sent.\n")
    most = run("describe-passages", guide, "--dry-run", "--json").json
    assert (most["n_passages"], most["model"]) == (1, "gpt-4o-mini")
    assert 2 * run("describe-passages", guide, "--dry-run", "--json", "--batch").json["most_usd"] == pytest.approx(
        most["most_usd"]
    )
    assert (chat_server.asked, run("describe-passages", guide).status) == ([], 2)

    chunks = tmp_path / "chunks.jsonl"
    done = run("describe-passages", guide, "--output", chunks, "--budget", most["most_usd"])
    assert done.out.startswith("guide: 1 chunk; gpt-4o-mini described 1 passages; ")
    assert run("chunk", guide, "--output", tmp_path / "by-rules.jsonl").status == 0
    (chunk,), (by_rules,) = read_jsonl(chunks, Chunk), read_jsonl(tmp_path / "by-rules.jsonl", Chunk)
    assert chunk.metadata["summary"] == "Whoever sleeps in the open must"
    assert replace(chunk, metadata=by_rules.metadata) == by_rules
    chat_server.plan = lambda _: "key"
    again = run("describe-passages", guide, "--output", chunks, "--json").json["guide"]
    assert (again["by_model"], again["kind_agreement"], again["used"]["prompt"]) == (1, 1.0, 0)

    guide.write_text(PROSE.replace("5", "6"))
    refused = run("describe-passages", guide, "--output", chunks)
    (line,) = refused.err.splitlines()
    assert (refused.status, "the key in OPENAI_API_KEY was rejected" in line, KEY in line) == (2, True, False)
    monkeypatch.delenv("OPENAI_API_KEY")
    without = run("describe-passages", guide, "--output", chunks)
    assert (without.status, "1 left to the rules (no key)" in without.out) == (0, True)
    assert "Camps (guide.md:5): there is no OPENAI_API_KEY" in without.out
