"""`querymust suggest-terms` over a small home: proposed, tried, accepted or rejected, and then built."""

from collections.abc import Callable
from pathlib import Path

import pytest

from evals.questions.questions import Anchor, Question, write_questions
from retrieval.home import Home
from retrieval.search.retriever import Retriever
from retrieval.serve.logs import FeedbackFile, QueryLog
from tests.pipeline.conftest import Ran

pytestmark = pytest.mark.usefixtures("builds_here")

ASKED = "What does a longsword cost?"


@pytest.fixture
def logged_home(tiny: Home) -> Home:
    QueryLog(tiny.root, is_on=True).add("s", ASKED)
    return tiny


def test_a_term_is_proposed_tried_accepted_and_counts_from_the_next_build(logged_home, run):
    told = run("suggest-terms", "--home", logged_home.root)
    assert (told.status, told.err) == (0, "")
    assert "longsword = long sword    the same letters, written apart; used in 1 question" in told.out
    assert f"would exclude chunks: {ASKED}" in told.out
    (result,) = run("suggest-terms", "--home", logged_home.root, "--json").json
    assert (result["word"], result["means"], result["effect"]["excluded"]) == ("longsword", "long sword", [ASKED])

    taken = run("suggest-terms", "--home", logged_home.root, "--accept", "longsword=long sword")
    assert taken.status == 0
    assert "querymust build" in taken.err
    assert (logged_home.library / "vocabulary.toml").read_text() == '[aliases]\n"longsword" = "long sword"\n'
    assert run("suggest-terms", "--home", logged_home.root, "--json").json == []
    assert run("build", "--home", logged_home.root).status == 0
    keys = [hit.chunk.row_key for hit in Retriever.open(logged_home.root).retrieve(ASKED).hits]
    assert keys[0] == "Long sword"
    assert not {"Dagger", "Mace"} & set(keys)


def test_what_was_rejected_is_not_proposed_again(logged_home: Home, run: Callable[..., Ran]) -> None:
    assert run("suggest-terms", "--home", logged_home.root, "--reject", "longsword=long sword").status == 0
    told = run("suggest-terms", "--home", logged_home.root)
    assert "longsword = long sword" not in told.out
    assert not (logged_home.library / "vocabulary.toml").exists()


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
    assert told.out == "No unknown word in 0 questions resembles a word in the index.\n"


def test_a_pair_that_is_half_or_that_no_book_has_is_not_accepted(tiny: Home, run: Callable[..., Ran]) -> None:
    told = run("suggest-terms", "--home", tiny.root, "--accept", "blade=zweihander")
    assert told.status == 1
    assert "blade = zweihander is not accepted: no live book contains 'zweihander'" in told.err
    assert not (tiny.library / "vocabulary.toml").exists()
    told = run("suggest-terms", "--home", tiny.root, "--accept", "longsword")
    assert told.status == 2
    assert "write WORD=MEANS" in told.err


FEEDBACK_ASKED = "Which weapon is cheap?"


@pytest.mark.slow
def test_feedback_becomes_questions_and_entries_and_changes_nothing(tiny, run, tmp_path):
    rows = {chunk.row_key: chunk.id for chunk in Retriever.open(tiny.root).snapshot.chunks if chunk.row_key}
    kept = FeedbackFile(tiny.root)
    kept.add("s", FEEDBACK_ASKED, rows["Dagger"], "relevant", "")
    kept.add("s", FEEDBACK_ASKED, rows["Long sword"], "irrelevant", "too dear")
    kept.add("s", "Is a mace heavy?", rows["Mace"], "irrelevant", "")
    before = {path: path.read_bytes() for path in tiny.library.rglob("*") if path.is_file()}
    written = tmp_path / "from_people.jsonl"
    told = run("feedback", "--home", tiny.root, "--write", written)
    assert (told.status, told.err) == (0, "")
    assert told.out.startswith("3 pieces of feedback: 1 question with gold, in ")
    assert f"Long sword does not belong in the hits for: {FEEDBACK_ASKED}" in told.out
    assert "in tiny/tables.toml:" in told.out
    assert "Mace, for 'Is a mace heavy?': the question names it" in told.out
    assert {path: path.read_bytes() for path in tiny.library.rglob("*") if path.is_file()} == before
    checked = run("questions", "check", written, "--home", tiny.root)
    assert checked.out == "1 questions, 1 with gold, 1 resolved\n"

    (book,) = (path.parent for path in tiny.library.rglob("01.md"))
    (predicate,) = run("feedback", "--home", tiny.root, "--json").json["predicates"]
    assert FEEDBACK_ASKED in predicate["effect"]["excluded"]
    (book / "tables.toml").write_text(predicate["tables.toml"])
    assert run("build", "--home", tiny.root).status == 0
    keys = {hit.chunk.row_key for hit in Retriever.open(tiny.root).retrieve(FEEDBACK_ASKED).hits}
    assert "Dagger" in keys
    assert "Long sword" not in keys


def test_without_feedback_it_says_so(tiny: Home, run: Callable[..., Ran]) -> None:
    assert run("feedback", "--home", tiny.root).out == "0 pieces of feedback: 0 questions with gold\n"
