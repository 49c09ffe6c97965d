"""`querymust suggest-terms` over a small home: proposed, tried, accepted or rejected, and then built."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from evals.questions.anchors import Anchor
from evals.questions.questions import Question, write_questions
from retrieval.search.retriever import Retriever
from retrieval.serve.query_log import QueryLog

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from retrieval.home import Home
    from tests.pipeline.conftest import Ran

ASKED = "What does a longsword cost?"


@pytest.fixture
def asked(tiny: Home) -> Home:
    QueryLog(tiny.root, is_on=True).add("s", ASKED)
    return tiny


def test_a_term_is_proposed_tried_accepted_and_counts_from_the_next_build(asked: Home, run: Callable[..., Ran]) -> None:
    told = run("suggest-terms", "--home", asked.root)
    assert (told.status, told.err) == (0, "")
    assert "longsword = long sword    the same letters, written apart; said in 1 question" in told.out
    assert f"would keep chunks out: {ASKED}" in told.out
    (found,) = run("suggest-terms", "--home", asked.root, "--json").json
    assert (found["word"], found["means"], found["effect"]["excluded"]) == ("longsword", "long sword", [ASKED])

    taken = run("suggest-terms", "--home", asked.root, "--accept", "longsword=long sword")
    assert taken.status == 0
    assert "querymust build" in taken.err
    assert (asked.library / "vocabulary.toml").read_text() == '[aliases]\n"longsword" = "long sword"\n'
    assert run("suggest-terms", "--home", asked.root, "--json").json == []
    assert run("build", "--home", asked.root).status == 0
    keys = [hit.chunk.row_key for hit in Retriever.open(asked.root).retrieve(ASKED).hits]
    assert keys[0] == "Long sword"
    assert not {"Dagger", "Mace"} & set(keys)


def test_what_was_rejected_is_not_proposed_again(asked: Home, run: Callable[..., Ran]) -> None:
    assert run("suggest-terms", "--home", asked.root, "--reject", "longsword=long sword").status == 0
    told = run("suggest-terms", "--home", asked.root)
    assert "longsword = long sword" not in told.out
    assert not (asked.library / "vocabulary.toml").exists()


def test_what_the_gate_refuses_is_not_accepted(tiny: Home, run: Callable[..., Ran], tmp_path: Path) -> None:
    row = next(chunk for chunk in Retriever.open(tiny.root).snapshot.chunks if chunk.row_key == "Long sword")
    gold = tmp_path / "gold.jsonl"
    write_questions(gold, [Question("q", ASKED, "tiny", gold=(Anchor.of(row),))])
    told = run("suggest-terms", "--home", tiny.root, "--questions", gold, "--accept", "longsword=mace")
    assert told.status == 1
    assert "longsword = mace is not accepted: mrr " in told.err
    assert not (tiny.library / "vocabulary.toml").exists()


def test_without_questions_it_says_that_there_is_nothing(tiny: Home, run: Callable[..., Ran]) -> None:
    told = run("suggest-terms", "--home", tiny.root)
    assert told.out == "No word of 0 questions is unknown and like one of the index.\n"


def test_half_a_pair_is_refused(tiny: Home, run: Callable[..., Ran]) -> None:
    told = run("suggest-terms", "--home", tiny.root, "--accept", "longsword")
    assert told.status == 2
    assert "write WORD=MEANS" in told.err
