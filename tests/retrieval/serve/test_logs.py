"""The questions of a server are kept where its owner wants that, and nowhere else."""

from __future__ import annotations

from typing import TYPE_CHECKING

from retrieval.serve.logs import QUERIES_FILE, QueryLog, asked_questions

if TYPE_CHECKING:
    from pathlib import Path

    from retrieval.home import Home

from tests.retrieval.serve.conftest import served

QUESTION = "What does a long sword cost?"


def test_nothing_is_kept_unless_it_is_asked_for(tiny: Home) -> None:
    with served(tiny.root) as client:
        assert client.post("/v1/retrieve", json={"query": QUESTION}).status_code == 200
    assert not (tiny.root / QUERIES_FILE).exists()
    assert asked_questions(tiny.root) == ()


def test_searches_and_answers_are_kept_with_what_was_kept_out(tiny: Home) -> None:
    with served(tiny.root, keep_questions=True) as client:
        result = client.post("/v1/retrieve", json={"query": QUESTION}).json()
        assert client.post("/v1/query", json={"query": "And a mace?"}).status_code == 200
        assert client.post("/v1/retrieve", json={"query": QUESTION, "strategy": "best"}).status_code == 404
    first, second = asked_questions(tiny.root)
    assert (first.query, first.snapshot, first.excluded) == (
        QUESTION,
        result["snapshot"],
        result["receipt"]["excluded"],
    )
    assert first.excluded
    assert (second.query, second.excluded) == ("And a mace?", None)


def test_a_home_that_cannot_be_written_answers_all_the_same(tmp_path: Path) -> None:
    QueryLog(tmp_path / "nowhere", is_on=True).add("s", QUESTION)
    assert asked_questions(tmp_path / "nowhere") == ()
