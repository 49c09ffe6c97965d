"""What changed since the snapshot that was scored before, from the rows that lie in the home."""

from __future__ import annotations

import os
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from evals.scored_questions import ScoredQuestion, ScoresKey, ScoreStore
from evals.verdicts import CheckVerdict, keep_verdict
from pipeline.report.glance import glance
from pipeline.report.page import page
from pipeline.report.report import report_of
from retrieval.index.snapshot.chunk_file import ChunkFile
from retrieval.index.snapshot.live import Promotion, remember, snapshot_folder

if TYPE_CHECKING:
    from retrieval.home import Home

pytestmark = pytest.mark.usefixtures("few_rankings")

OLDEST, BEFORE = "00000000000000aa", "0123456789abcdef"
THEN = 1_700_000_000
MISSES = {"hit@1": 0.0, "mrr": 0.0}
FOUND = {"hit@1": 1.0, "mrr": 1.0}


def score_before(
    home: Home, changed: dict[str, dict[str, float]], snapshot: str = BEFORE, then: int = THEN, second_book: int = 0
) -> None:
    """Rows of an older snapshot: those of today, with other values for some questions, and some of a second book."""
    store = ScoreStore(home.evaluations)
    rows = store.kept(home.candidate, "default")
    older = [replace(row, values={**row.values, **changed.get(row.question_id, {})}) for row in rows]
    (position,) = {(row.set, row.split) for row in rows}
    older = [replace(row, book="second") for row in older[:second_book]] + older[second_book:]
    key = ScoresKey(snapshot, "default", *position, "then")
    store.finish(key, older)
    os.utime(store.path(key), (then, then))
    os.utime(store.timings_path(key), (then, then))


def hits(home: Home) -> list[ScoredQuestion]:
    rows = ScoreStore(home.evaluations).kept(home.candidate, "default")
    return [row for row in rows if row.values.get("hit@1") == 1]


def test_the_first_snapshot_has_nothing_before_it(sample: Home) -> None:
    made = report_of(sample)
    assert [each.snapshot for each in made.history.scored] == [sample.candidate]
    assert made.history.change is None
    assert {answer.section: answer.says for answer in glance(made)}["trend"].startswith("This is the first snapshot")


def test_a_snapshot_is_compared_with_the_one_before_question_by_question(sample_copy: Home) -> None:
    gained = [row.question_id for row in hits(sample_copy)[:20]]
    score_before(sample_copy, dict.fromkeys(gained, MISSES))
    made = report_of(sample_copy)
    assert [each.snapshot for each in made.history.scored] == [BEFORE, sample_copy.candidate]
    change = made.history.change
    assert change is not None
    assert change.before == BEFORE
    assert change.contents is None
    assert [each.question_id for each in change.better] == gained
    assert {(each.before, each.after) for each in change.better} == {(None, 1)}
    assert change.worse == ()
    by_metric = {difference.comparison.metric: difference for difference in change.differences}
    assert by_metric["hit@1"].comparison.difference == pytest.approx(20 / 102)
    assert by_metric["hit@1"].verdict == "better"
    (verdict,) = [verdict for verdict in made.verdicts if verdict.rule == "not_worse_than_live"]
    assert (verdict.state, verdict.note) == ("held", f"compared with {BEFORE}, which was scored before it")
    html = page(made)
    wanted = ("Better: 20 questions", f"Since {BEFORE}: hit@1 +0.196 (significant")
    assert html.count("<polyline") == 3
    assert [sentence for sentence in wanted if sentence not in html] == []


def test_a_snapshot_that_lost_many_questions_does_not_pass(sample_copy: Home) -> None:
    rows = ScoreStore(sample_copy.evaluations).kept(sample_copy.candidate, "default")
    lost = [row.question_id for row in rows if row.values.get("hit@1") == 0]
    score_before(sample_copy, dict.fromkeys(lost, FOUND))
    made = report_of(sample_copy)
    assert made.history.change is not None
    assert [each.question_id for each in made.history.change.worse] == lost
    (verdict,) = [verdict for verdict in made.verdicts if verdict.rule == "not_worse_than_live"]
    assert verdict.state == "failed"
    assert verdict.against[0].startswith("default: mrr is below that of live, people")


def test_a_question_that_broke_two_snapshots_ago_is_named_until_it_is_back(sample_copy: Home) -> None:
    rows = ScoreStore(sample_copy.evaluations).kept(sample_copy.candidate, "default")
    broken, *others = [row.question_id for row in rows if row.gold and row.values.get("hit@1") == 0]
    score_before(sample_copy, {broken: FOUND}, OLDEST, THEN - 100, second_book=20)
    score_before(sample_copy, {others[0]: FOUND}, second_book=20)
    keep_verdict(sample_copy.root, CheckVerdict.now("gold_resolves", "", BEFORE, passed=False, blocks=True))
    remember(sample_copy.root, Promotion.now(OLDEST, "build", "a new edition"))
    made = report_of(sample_copy)
    assert made.history.change is not None
    assert [each.question_id for each in made.history.change.worse] == [others[0]]
    assert [(each.question_id, each.best, each.last) for each in made.history.lost] == [(broken, 1, OLDEST)]
    states = [each.fate.state if each.fate else None for each in made.history.scored]
    assert states == ["forced", "refused", "promoted"]
    html = page(made)
    wanted = (
        "Lost earlier and not found again: 1 question<",
        f"rank 1 until <code>{OLDEST}</code>",
        "<small>a new edition</small>",
        "<small>gold_resolves</small>",
        "mrr of each of the 2 books, on the last 3 snapshots",
    )
    assert [sentence for sentence in wanted if sentence not in html] == []
    assert html.count('<g class="refused">') == html.count('<g class="forced">') == 3


def test_chunks_that_came_and_went_are_counted(sample_copy: Home) -> None:
    score_before(sample_copy, {})
    chunks = list(ChunkFile.load(snapshot_folder(sample_copy.root, sample_copy.candidate)))
    older = [replace(chunks[0], id="00000000" + chunks[0].id[8:]), *chunks[4:]]
    folder = snapshot_folder(sample_copy.root, BEFORE)
    folder.mkdir()
    ChunkFile.save(folder, older)
    change = report_of(sample_copy).history.change
    assert change is not None
    assert change.contents is not None
    assert (change.contents.n_new, change.contents.n_gone) == (4, 1)
    assert change.contents.gone == (chunks[0].title,)
    assert not any(difference.comparison.difference for difference in change.differences)


@pytest.mark.slow
def test_what_was_scored_later_or_with_other_questions_is_left_out(sample_copy: Home) -> None:
    score_before(sample_copy, {})
    store = ScoreStore(sample_copy.evaluations)
    for path in (sample_copy.evaluations / BEFORE / "default").iterdir():
        os.utime(path, (2 * THEN, 2 * THEN))
    assert report_of(sample_copy).history.change is None
    rows = store.kept(BEFORE, "default")
    for path in (sample_copy.evaluations / BEFORE / "default").iterdir():
        path.unlink()
    key = ScoresKey(BEFORE, "default", "other", "people", "then")
    store.finish(key, [replace(row, set="other") for row in rows])
    for path in (store.path(key), store.timings_path(key)):
        os.utime(path, (THEN, THEN))
    assert report_of(sample_copy).history.change is None
