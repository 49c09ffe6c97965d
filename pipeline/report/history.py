"""The scored snapshots of a home: what happened to each, and what changed since the one before."""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path
from typing import Literal

from evals.aggregates import ALL, Aggregate, aggregate
from evals.evaluation import SHIPPED, Evaluation
from evals.noise import NOISE
from evals.scored_questions import ScoredQuestion, ScoreStore
from evals.verdicts import refusals
from pipeline.report.differences import MetricDifference, differences, question_key
from pipeline.report.header import built_at
from retrieval.errors import RetrievalError
from retrieval.home import Home
from retrieval.index.snapshot.chunk_file import ChunkFile
from retrieval.index.snapshot.live import promotions, snapshot_folder
from retrieval.index.snapshot.snapshot import Snapshot


@dataclass(frozen=True, slots=True)
class Fate:
    """What became of one snapshot. Key: snapshot."""

    snapshot: str
    state: Literal["promoted", "forced", "refused"]
    why: str = ""
    """The reason that was given with force, or the checks that refused it."""


def fates(home: Path) -> dict[str, Fate]:
    """By snapshot; one that was neither promoted nor refused is not there.

    What was refused and went live later is promoted, and what ever went live by force stays forced.
    """
    fates: dict[str, Fate] = {}
    for refusal in refusals(home):
        checks = fates[refusal.snapshot].why + ", " if refusal.snapshot in fates else ""
        fates[refusal.snapshot] = Fate(refusal.snapshot, "refused", checks + refusal.check)
    for move in promotions(home):
        was = fates.get(move.snapshot)
        if move.forced is not None:
            fates[move.snapshot] = Fate(move.snapshot, "forced", move.forced)
        elif was is None or was.state != "forced":
            fates[move.snapshot] = Fate(move.snapshot, "promoted")
    return fates


TRENDS = ("mrr", "hit@1", NOISE)
"""What is followed over the snapshots."""
NOTED = (1, 10)
"""A question that fell out of the first of these, or of the first one, is named until it is back."""
_TITLES = 8


@dataclass(frozen=True, slots=True)
class Scored:
    """`default` on one snapshot, as it was scored when that was the newest. Key: snapshot."""

    snapshot: str
    built: datetime
    """UTC; orders the snapshots."""
    n: int
    """Questions with gold: other ones may have been asked then."""
    numbers: tuple[Aggregate, ...]
    """One for each of `TRENDS` that says something."""
    books: tuple[Aggregate, ...] = ()
    """`mrr` of each book."""
    fate: Fate | None = None
    """None: it was neither promoted nor refused, or that was forgotten."""


@dataclass(frozen=True, slots=True)
class MovedQuestion:
    """A question whose first gold chunk stands elsewhere than before. Key: (set, split, question_id)."""

    set: str
    split: str
    question_id: str
    query: str
    before: int | None
    """1-based; None: not among the first 100."""
    after: int | None


@dataclass(frozen=True, slots=True)
class Lost:
    """A question that was first, or among the first ten, on an earlier snapshot and is not now.

    Key: (set, split, question_id).
    """

    set: str
    split: str
    question_id: str
    query: str
    best: int
    """1-based; its highest rank on an earlier snapshot."""
    last: str
    """The last snapshot on which it had that rank."""
    now: int | None


@dataclass(frozen=True, slots=True)
class ChunkChanges:
    """How the chunks differ from those of the snapshot before; a changed chunk is one gone and one new."""

    n_new: int
    n_gone: int
    new: tuple[str, ...]
    """The first titles in the order of their ids."""
    gone: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Change:
    """This snapshot against the one that was scored before it, with `default` on the questions that both were asked."""

    before: str
    contents: ChunkChanges | None
    """None: the snapshot before cannot be read any more."""
    differences: tuple[MetricDifference, ...]
    better: tuple[MovedQuestion, ...]
    worse: tuple[MovedQuestion, ...]


@dataclass(frozen=True, slots=True)
class History:
    """What was scored in a home with the question sets of today."""

    scored: tuple[Scored, ...]
    """Oldest first; the last is the snapshot that the page is about."""
    change: Change | None
    """None: nothing was scored before."""
    rows_before: tuple[ScoredQuestion, ...] = ()
    """Of `default` on the snapshot before."""
    lost: tuple[Lost, ...] = ()
    """Those that the snapshot before had lost already, so that `change` does not name them."""

    def books(self) -> tuple[str, ...]:
        """Every book that has numbers, in order."""
        return tuple(sorted({number.book for scored in self.scored for number in scored.books}))


def history_of(home: Home, snapshot: Snapshot, evaluation: Evaluation) -> History:
    """Look back over the evaluations that lie in a home; snapshots that are newer than this one are left out."""
    own = [row for row in evaluation.headline_rows() if row.strategy == SHIPPED]
    if not own:
        return History((), None)
    sets = {(row.set, row.split) for row in own}
    until = built_at(home, snapshot.id)
    earlier = {
        name: rows
        for name in ScoreStore(home.evaluations).scored_snapshots()
        if name != snapshot.id and built_at(home, name) <= until and (rows := kept_rows(home, name, sets))
    }
    past = sorted(
        (_scored(home, name, rows) for name, rows in earlier.items()), key=lambda each: (each.built, each.snapshot)
    )
    scored = (*past, _scored(home, snapshot.id, own))
    if not past:
        return History(scored, None)
    before = past[-1].snapshot
    change = _change(home, snapshot, own, before, earlier[before])
    named = {(moved.set, moved.split, moved.question_id) for moved in change.worse}
    lost = _lost(own, [(each.snapshot, earlier[each.snapshot]) for each in past])
    still = tuple(each for each in lost if (each.set, each.split, each.question_id) not in named)
    return History(scored, change, tuple(earlier[before]), still)


def kept_rows(home: Home, snapshot: str, sets: set[tuple[str, str]]) -> list[ScoredQuestion]:
    """What `default` did on a snapshot with these (set, split), as it was scored then."""
    rows = ScoreStore(home.evaluations).kept(snapshot, SHIPPED)
    return [row for row in rows if (row.set, row.split) in sets]


def _scored(home: Home, snapshot: str, rows: Sequence[ScoredQuestion]) -> Scored:
    pooled = aggregate([replace(row, set=ALL, split=ALL) for row in rows])
    numbers = tuple(each for each in pooled if each.book == each.kind == ALL and each.metric in TRENDS)
    books = tuple(each for each in pooled if each.book != ALL and each.kind == ALL and each.metric == TRENDS[0])
    n = sum(bool(row.gold) for row in rows)
    return Scored(snapshot, built_at(home, snapshot), n, numbers, books, fates(home.root).get(snapshot))


def _lost(own: Sequence[ScoredQuestion], past: Sequence[tuple[str, Sequence[ScoredQuestion]]]) -> list[Lost]:
    """The questions that fell out of the first or the first ten since some earlier snapshot; the oldest comes first."""
    best: dict[Hashable, tuple[int, str]] = {}
    for snapshot, rows in past:
        for row in rows:
            rank, key = row.gold_rank, question_key(row)
            if row.gold and rank is not None and rank <= best.get(key, (max(NOTED), ""))[0]:
                best[key] = (rank, snapshot)
    lost = []
    for row in own:
        rank, last = best.get(question_key(row), (None, ""))
        if row.gold and rank is not None and any(rank <= limit < _place(row.gold_rank) for limit in NOTED):
            lost.append(Lost(row.set, row.split, row.question_id, row.query, rank, last, row.gold_rank))
    return sorted(lost, key=lambda each: (each.best, -_place(each.now), each.question_id))


def _change(
    home: Home, snapshot: Snapshot, own: Sequence[ScoredQuestion], before: str, rows: Sequence[ScoredQuestion]
) -> Change:
    earlier = {question_key(row): row for row in rows if row.gold}
    shared = [(row, earlier[question_key(row)]) for row in own if row.gold and question_key(row) in earlier]
    moved = [_moved(row, was) for row, was in shared if row.gold_rank != was.gold_rank]
    return Change(
        before=before,
        contents=_contents(home, snapshot, before),
        differences=differences(own, rows) if shared else (),
        better=tuple(each for each in moved if _place(each.after) < _place(each.before)),
        worse=tuple(each for each in moved if _place(each.after) > _place(each.before)),
    )


def _moved(row: ScoredQuestion, was: ScoredQuestion) -> MovedQuestion:
    return MovedQuestion(row.set, row.split, row.question_id, row.query, was.gold_rank, row.gold_rank)


def _place(rank: int | None) -> float:
    return float("inf") if rank is None else rank


def _contents(home: Home, snapshot: Snapshot, before: str) -> ChunkChanges | None:
    try:
        earlier = ChunkFile.load(snapshot_folder(home.root, before))
    except (OSError, RetrievalError):
        return None
    new, gone = _beyond(snapshot.chunks, earlier), _beyond(earlier, snapshot.chunks)
    return ChunkChanges(len(new), len(gone), *(tuple(sorted(titles)[:_TITLES]) for titles in (new, gone)))


def _beyond(chunks: ChunkFile, others: ChunkFile) -> list[str]:
    known = {others.id_at(position) for position in range(len(others))}
    return [chunks[at].title for at in range(len(chunks)) if chunks.id_at(at) not in known]
