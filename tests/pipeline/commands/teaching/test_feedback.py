"""`querymust feedback`: questions with gold, and predicates that nobody applies."""

from __future__ import annotations

from typing import TYPE_CHECKING

from retrieval.search.retriever import Retriever
from retrieval.serve.feedback import FeedbackFile

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from retrieval.home import Home
    from tests.pipeline.conftest import Ran

ASKED = "Which weapon is cheap?"


def test_feedback_becomes_questions_and_entries_and_changes_nothing(
    tiny: Home, run: Callable[..., Ran], tmp_path: Path
) -> None:
    rows = {chunk.row_key: chunk.id for chunk in Retriever.open(tiny.root).snapshot.chunks if chunk.row_key}
    kept = FeedbackFile(tiny.root)
    kept.add("s", ASKED, rows["Dagger"], "relevant", "")
    kept.add("s", ASKED, rows["Long sword"], "irrelevant", "too dear")
    kept.add("s", "Is a mace heavy?", rows["Mace"], "irrelevant", "")
    before = {path: path.read_bytes() for path in tiny.library.rglob("*") if path.is_file()}
    written = tmp_path / "from_people.jsonl"
    told = run("feedback", "--home", tiny.root, "--write", written)
    assert (told.status, told.err) == (0, "")
    assert told.out.startswith("3 words of feedback: 1 question with gold, in ")
    assert f"Long sword does not belong to: {ASKED}" in told.out
    assert "in tiny/tables.toml:" in told.out
    assert "Mace, for 'Is a mace heavy?': the question names it" in told.out
    assert {path: path.read_bytes() for path in tiny.library.rglob("*") if path.is_file()} == before
    checked = run("questions", "check", written, "--home", tiny.root)
    assert checked.out == "1 questions, 1 with gold, 1 resolve\n"

    (book,) = (path.parent for path in tiny.library.rglob("01.md"))
    (predicate,) = run("feedback", "--home", tiny.root, "--json").json["predicates"]
    assert ASKED in predicate["effect"]["excluded"]
    (book / "tables.toml").write_text(predicate["tables.toml"])
    assert run("build", "--home", tiny.root).status == 0
    keys = {hit.chunk.row_key for hit in Retriever.open(tiny.root).retrieve(ASKED).hits}
    assert "Dagger" in keys
    assert "Long sword" not in keys


def test_without_feedback_it_says_so(tiny: Home, run: Callable[..., Ran]) -> None:
    assert run("feedback", "--home", tiny.root).out == "0 words of feedback: 0 questions with gold\n"
