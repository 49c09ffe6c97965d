"""The scored snapshots of a home, the questions broken or repaired by each promotion, and the latest changes."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Literal

from evals.acceptance import MovedQuestion, rank_or_infinity
from evals.aggregates import ALL, Aggregate, aggregate
from evals.evaluation import SHIPPED, Evaluation
from evals.noise import NOISE
from evals.questions.questions import QuestionKey
from evals.score_store import ScoreStore
from evals.scored_questions import ScoredQuestion
from evals.significant_changes import Comparison, compare_rows
from evals.verdicts import Refusal, refusals
from retrieval.errors import RetrievalError
from retrieval.home import Home
from retrieval.index.snapshot.chunk_file import ChunkFile
from retrieval.index.snapshot.live import promotions, snapshot_folder
from retrieval.index.snapshot.manifest import MANIFEST_FILE
from retrieval.index.snapshot.snapshot import Snapshot

TRENDS = ("mrr", "hit@1", NOISE)
"""Metrics that are followed over the snapshots."""
NOTED = (1, 10)
"""A promotion breaks a question that falls out of the first or of the first ten hits, and repairs one that comes in."""
_TITLES = 8


@dataclass(frozen=True, slots=True)
class Scored:
    """`default` on one snapshot, as it was scored when that was the newest. Key: snapshot."""

    snapshot: str
    built: datetime
    """UTC; orders the snapshots."""
    n: int
    """Number of questions with gold; they may differ from the current ones."""
    numbers: tuple[Aggregate, ...]
    """One for each of `TRENDS` that has a value."""
    books: tuple[Aggregate, ...] = ()
    """`mrr` of each book."""


@dataclass(frozen=True, slots=True)
class PromotionAttempt:
    """A snapshot that went live or was kept from it. Key: (snapshot, at)."""

    snapshot: str
    at: datetime
    """UTC."""
    state: Literal["promoted", "forced", "refused"]
    why: str
    """How it went live, the reason given for forcing it, or the checks that refused it."""
    scored: Scored | None = None
    """None if it was never scored with the current question sets."""
    broken: tuple[MovedQuestion, ...] = ()
    """Compared with the index that readers had before it."""
    repaired: tuple[MovedQuestion, ...] = ()


@dataclass(frozen=True, slots=True)
class ChunkChanges:
    """Differences from the chunks of the previous snapshot; a changed chunk counts as one gone and one new."""

    n_new: int
    n_gone: int
    new: tuple[str, ...]
    """The first titles, in alphabetical order."""
    gone: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Change:
    """Changes of this snapshot from the one scored before it, for `default` on the questions that both were asked."""

    before: str
    contents: ChunkChanges | None
    """None if the previous snapshot can no longer be read."""
    differences: tuple[Comparison, ...]
    better: tuple[MovedQuestion, ...]
    worse: tuple[MovedQuestion, ...]


@dataclass(frozen=True, slots=True)
class History:
    """The scores in a home with the current question sets."""

    scored: tuple[Scored, ...]
    """Oldest first; the last is the snapshot that the page is about."""
    change: Change | None
    """None if nothing was scored before."""
    rows_before: tuple[ScoredQuestion, ...] = ()
    """Rows of `default` on the previous snapshot."""
    attempts: tuple[PromotionAttempt, ...] = ()
    """One for each promotion, oldest first."""

    def state(self, snapshot: str) -> str:
        """Return the final state of a snapshot; empty if it was neither promoted nor refused."""
        return next((attempt.state for attempt in reversed(self.attempts) if attempt.snapshot == snapshot), "")


def history_of(home: Home, snapshot: Snapshot, evaluation: Evaluation) -> History:
    """Return the history of the evaluations in a home; snapshots newer than this one are omitted."""
    own = [row for row in evaluation.headline_rows() if row.strategy == SHIPPED]
    if not own:
        return History((), None)
    sets = {(row.set, row.split) for row in own}
    built = {name: built_at(home, name) for name in (*ScoreStore(home.evaluations).scored_snapshots(), snapshot.id)}
    past = sorted(built.keys() - {snapshot.id}, key=lambda name: (built[name], name))
    rows = {name: kept_rows(home, name, sets) for name in past if built[name] <= built[snapshot.id]} | {
        snapshot.id: own
    }
    scored = tuple(_scored(name, built[name], of_snapshot) for name, of_snapshot in rows.items() if of_snapshot)
    question_keys = {row.key for row in own}
    question_keys |= {unscored.key for question_set in evaluation.sets for unscored in question_set.unscored}
    attempts = tuple(
        _attempts(home.root, {of_snapshot.snapshot: of_snapshot for of_snapshot in scored}, rows, question_keys)
    )
    if len(scored) == 1:
        return History(scored, None, attempts=attempts)
    before = scored[-2].snapshot
    return History(scored, _change(home, snapshot, own, before, rows[before]), tuple(rows[before]), attempts)


def built_at(home: Home, snapshot: str) -> datetime:
    """Return when a snapshot was built, to the second, in UTC; for a deleted one, when it was last scored."""
    manifest = snapshot_folder(home.root, snapshot) / MANIFEST_FILE
    rows = sorted((home.evaluations / snapshot).glob("*/*.parquet"), key=lambda path: path.stat().st_mtime)
    stamp = manifest if manifest.is_file() else rows[-1]
    return datetime.fromtimestamp(int(stamp.stat().st_mtime), UTC)


def kept_rows(home: Home, snapshot: str, sets: set[tuple[str, str]]) -> list[ScoredQuestion]:
    """Return the kept rows of `default` on a snapshot for these (set, split)."""
    rows = ScoreStore(home.evaluations).of_snapshot(snapshot, SHIPPED)
    return [row for row in rows if (row.set, row.split) in sets]


def _scored(snapshot: str, built: datetime, rows: Sequence[ScoredQuestion]) -> Scored:
    pooled = aggregate([replace(row, set=ALL, split=ALL) for row in rows])
    numbers = tuple(number for number in pooled if number.book == number.kind == ALL and number.metric in TRENDS)
    books = tuple(
        number for number in pooled if number.book != ALL and number.kind == ALL and number.metric == TRENDS[0]
    )
    return Scored(snapshot, built, sum(bool(row.gold) for row in rows), numbers, books)


def _attempts(
    home: Path,
    scored: Mapping[str, Scored],
    rows: Mapping[str, Sequence[ScoredQuestion]],
    question_keys: Collection[QuestionKey],
) -> Iterator[PromotionAttempt]:
    """Yield each attempt with the current questions that it broke and repaired, whatever was scored in between."""
    had: dict[QuestionKey, ScoredQuestion] = {}
    for attempt in promotion_attempts(home):
        if attempt.snapshot not in scored:
            yield attempt
            continue
        now = {row.key: row for row in rows[attempt.snapshot] if row.gold and row.key in question_keys}
        # Only a forced promotion may have stale gold. Elsewhere a question without a row is newer than the scores.
        shared = {
            key: now.get(key) or replace(was, gold=(), values={})
            for key, was in had.items()
            if key in now or attempt.state == "forced"
        }
        moves = [MovedQuestion.between(had[key], row) for key, row in shared.items()]
        yield replace(
            attempt,
            scored=scored[attempt.snapshot],
            broken=tuple(move for move in moves if _falls(move.before, move.after)),
            repaired=tuple(move for move in moves if _falls(move.after, move.before)),
        )
        if attempt.state != "refused":
            had |= now | shared


def promotion_attempts(home: Path) -> list[PromotionAttempt]:
    """Return promotions and refusals, oldest first; a refusal of a snapshot that went live later is left out."""
    moves = [
        PromotionAttempt(
            promotion.snapshot,
            promotion.at,
            "forced" if promotion.forced else "promoted",
            promotion.forced or promotion.how,
        )
        for promotion in promotions(home)
    ]
    refused: dict[str, list[Refusal]] = {}
    for refusal in refusals(home):
        if not any(move.snapshot == refusal.snapshot and move.at >= refusal.at for move in moves):
            refused.setdefault(refusal.snapshot, []).append(refusal)
    kept = [
        PromotionAttempt(name, refusals_of_one[0].at, "refused", ", ".join(one.check for one in refusals_of_one))
        for name, refusals_of_one in refused.items()
    ]
    return sorted((*kept, *moves), key=lambda attempt: attempt.at)


def _falls(before: int | None, after: int | None) -> bool:
    return any(rank_or_infinity(before) <= limit < rank_or_infinity(after) for limit in NOTED)


def _change(
    home: Home, snapshot: Snapshot, own: Sequence[ScoredQuestion], before: str, rows: Sequence[ScoredQuestion]
) -> Change:
    earlier = {row.key: row for row in rows if row.gold}
    shared = [(row, earlier[row.key]) for row in own if row.gold and row.key in earlier]
    moved = [MovedQuestion.between(was, row) for row, was in shared if row.gold_rank != was.gold_rank]
    return Change(
        before=before,
        contents=_contents(home, snapshot, before),
        differences=compare_rows(own, rows) if shared else (),
        better=tuple(question for question in moved if question.better),
        worse=tuple(question for question in moved if not question.better),
    )


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
