"""Scored questions that are stored, and read again whatever they depended on."""

from pathlib import Path

from evals.score_store import ScoresKey, ScoreStore
from evals.scored_questions import ScoredQuestion
from tests.scored_rows import scored_row


def row(question_id: str, set_: str = "mine") -> ScoredQuestion:
    return scored_row(question_id, set=set_, values={"mrr": 1.0}, milliseconds=2.0)


def key(snapshot: str, fingerprint: str, set_: str = "mine") -> ScoresKey:
    return ScoresKey(snapshot, "default", set_, "people", fingerprint)


def test_rows_of_any_fingerprint_are_found_again_with_their_times(tmp_path: Path) -> None:
    store = ScoreStore(tmp_path)
    store.finish(key("one", "old"), [row("q1"), row("q2")])
    assert store.finished(key("one", "new")) is None
    assert store.of_snapshot("one", "default") == (row("q1"), row("q2"))
    assert [row.milliseconds for row in store.of_snapshot("one", "default")] == [2.0, 2.0]


def test_every_set_of_a_snapshot_is_read_in_the_order_of_their_names(tmp_path: Path) -> None:
    store = ScoreStore(tmp_path)
    store.finish(key("one", "f", "yours"), [row("q1", "yours")])
    store.finish(key("one", "f"), [row("q1")])
    assert [row.set for row in store.of_snapshot("one", "default")] == ["mine", "yours"]
    assert store.of_snapshot("one", "bm25") == ()
    assert store.of_snapshot("two", "default") == ()


def test_parts_of_an_unfinished_run_are_not_scores(tmp_path: Path) -> None:
    store = ScoreStore(tmp_path)
    store.save_part(key("one", "f"), [row("q1")])
    store.finish(key("two", "f"), [row("q1")])
    assert store.scored_snapshots() == ("two",)
    assert store.of_snapshot("one", "default") == ()


def test_rows_without_their_times_are_left_out(tmp_path: Path) -> None:
    store = ScoreStore(tmp_path)
    store.finish(key("one", "f"), [row("q1")])
    store.timings_path(key("one", "f")).unlink()
    assert store.of_snapshot("one", "default") == ()
