"""What changed since the snapshot that was scored before, from the rows that lie in the home."""

import os
from dataclasses import replace
from datetime import timedelta

import pytest

from evals.score_store import ScoresKey, ScoreStore
from evals.scored_questions import ScoredQuestion
from evals.verdicts import CheckVerdict, keep_verdict
from pipeline.report.glance import glance
from pipeline.report.page import page
from pipeline.report.report import report_of
from retrieval.home import Home
from retrieval.index.snapshot.chunk_file import ChunkFile
from retrieval.index.snapshot.live import HISTORY_FILE, Promotion, dump_promotions, promotions, snapshot_folder

pytestmark = pytest.mark.usefixtures("few_rankings")

OLDEST, FORCED, BEFORE = "00000000000000aa", "00000000000000bb", "0123456789abcdef"
THEN = 1_700_000_000
MISSES = {"hit@1": 0.0, "mrr": 0.0}
FOUND = {"hit@1": 1.0, "mrr": 1.0}


def score_before(home, changed, snapshot=BEFORE, then=THEN, second_book=0, stale=""):
    """Rows of an older snapshot: those of today without a stale one, some with other values or of a second book."""
    store = ScoreStore(home.evaluations)
    rows = store.of_snapshot(home.candidate, "default")
    older = [
        replace(row, values={**row.values, **changed.get(row.question_id, {})})
        for row in rows
        if row.question_id != stale
    ]
    (position,) = {(row.set, row.split) for row in rows}
    older = [replace(row, book="second") for row in older[:second_book]] + older[second_book:]
    key = ScoresKey(snapshot, "default", *position, "then")
    store.finish(key, older)
    os.utime(store.path(key), (then, then))
    os.utime(store.timings_path(key), (then, then))


def hits(home: Home) -> list[ScoredQuestion]:
    rows = ScoreStore(home.evaluations).of_snapshot(home.candidate, "default")
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
    assert change.before == BEFORE
    assert change.contents is None
    assert [each.row.question_id for each in change.better] == gained
    assert {(each.before, each.after) for each in change.better} == {(None, 1)}
    assert change.worse == ()
    by_metric = {difference.metric: difference for difference in change.differences}
    assert by_metric["hit@1"].difference == pytest.approx(20 / 102)
    assert by_metric["hit@1"].verdict == "better"
    (verdict,) = [verdict for verdict in made.verdicts if verdict.rule == "not_worse_than_live"]
    assert (verdict.state, verdict.note) == ("held", f"compared with {BEFORE}, which was scored before it")
    html = page(made)
    wanted = ("Better: 20 questions", f"Since {BEFORE}: hit@1 +0.196 (significant")
    assert html.count("<polyline") == 3
    assert [sentence for sentence in wanted if sentence not in html] == []


def test_a_snapshot_that_lost_many_questions_does_not_pass(sample_copy: Home) -> None:
    rows = ScoreStore(sample_copy.evaluations).of_snapshot(sample_copy.candidate, "default")
    lost = [row.question_id for row in rows if row.values.get("hit@1") == 0]
    score_before(sample_copy, dict.fromkeys(lost, FOUND))
    made = report_of(sample_copy)
    assert made.history.change is not None
    assert [each.row.question_id for each in made.history.change.worse] == lost
    (verdict,) = [verdict for verdict in made.verdicts if verdict.rule == "not_worse_than_live"]
    assert verdict.state == "failed"
    assert verdict.against[0].startswith("default: mrr is below that of live, people")


def test_each_promotion_names_what_it_broke_and_repaired(sample_copy: Home) -> None:
    rows = ScoreStore(sample_copy.evaluations).of_snapshot(sample_copy.candidate, "default")
    broken, refused, *_ = [row.question_id for row in rows if row.gold and row.values.get("hit@1") == 0]
    repaired, stale = (row.question_id for row in hits(sample_copy)[:2])
    root, (built,) = sample_copy.root, promotions(sample_copy.root)
    score_before(sample_copy, {broken: FOUND, repaired: MISSES}, OLDEST, THEN - 200, second_book=20)
    score_before(sample_copy, {}, FORCED, THEN - 100, second_book=20, stale=stale)
    score_before(sample_copy, {refused: FOUND, repaired: MISSES}, second_book=20)
    keep_verdict(root, CheckVerdict("gold_resolves", False, True, "", BEFORE, built.at - timedelta(seconds=1)))
    moves = ((OLDEST, "nightly", None), (FORCED, "build", "a new edition"))
    before = [Promotion(name, built.at - timedelta(days=1), how, why) for name, how, why in moves]
    (root / HISTORY_FILE).write_bytes(dump_promotions((*before, built)))
    made = report_of(sample_copy)
    names = [
        (each.snapshot, each.state, each.why, *(moved.row.question_id for moved in (*each.broken, *each.repaired)))
        for each in made.history.attempts
    ]
    assert names == [
        (OLDEST, "promoted", "nightly"),
        (FORCED, "forced", "a new edition", stale, broken, repaired),
        (BEFORE, "refused", "gold_resolves", repaired, stale, refused),
        (sample_copy.candidate, "promoted", "build", stale),
    ]
    assert {each.scored and len(each.scored.books) for each in made.history.attempts} == {1, 2}
    html = page(made)
    wanted = ("<small>a new edition</small>", "<small>nightly</small>", "<small>gold_resolves</small>", "→ stale gold<")
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
    assert change.contents is not None
    assert (change.contents.n_new, change.contents.n_gone) == (4, 1)
    assert change.contents.gone == (chunks[0].title,)
    assert not any(difference.difference for difference in change.differences)


@pytest.mark.slow
def test_what_was_scored_later_or_with_other_questions_is_left_out(sample_copy: Home) -> None:
    score_before(sample_copy, {})
    store = ScoreStore(sample_copy.evaluations)
    for path in (sample_copy.evaluations / BEFORE / "default").iterdir():
        os.utime(path, (2 * THEN, 2 * THEN))
    assert report_of(sample_copy).history.change is None
    rows = store.of_snapshot(BEFORE, "default")
    for path in (sample_copy.evaluations / BEFORE / "default").iterdir():
        path.unlink()
    key = ScoresKey(BEFORE, "default", "other", "people", "then")
    store.finish(key, [replace(row, set="other") for row in rows])
    for path in (store.path(key), store.timings_path(key)):
        os.utime(path, (THEN, THEN))
    assert report_of(sample_copy).history.change is None
