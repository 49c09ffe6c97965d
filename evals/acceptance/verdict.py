"""Whether one strategy passes: its bounds, its failing questions, and what changed since the saved scores."""

from collections.abc import Sequence
from dataclasses import dataclass

from evals.acceptance.bounds import Bound, Judged, judged
from evals.acceptance.changes import Changes, changes
from evals.acceptance.saved_scores import SavedScores
from evals.errors import AcceptanceError
from evals.evaluation import Evaluation, StaleGold
from evals.failures import METRIC, Failure, failures
from evals.noise import Relatives
from evals.scored_questions import ScoredQuestion
from retrieval.index.snapshot.snapshot import Snapshot


@dataclass(frozen=True, slots=True)
class Verdict:
    """What there is to say of one strategy. Key: strategy."""

    strategy: str
    snapshot: str
    rows: tuple[ScoredQuestion, ...]
    """Every question that was scored, in the order of the files."""
    bounds: tuple[Judged, ...]
    failures: tuple[Failure, ...]
    """Questions whose gold is not first; by themselves they are no reason to fail."""
    changes: Changes | None
    """None: no saved scores were given."""
    stale: tuple[StaleGold, ...]

    @property
    def passed(self) -> bool:
        """Whether every bound holds, no metric is significantly worse than it was, and no gold is stale."""
        worse = self.changes.worse if self.changes else ()
        return all(each.holds for each in self.bounds) and not worse and not self.stale

    @property
    def n_asked(self) -> int:
        """Questions that can fail: those with gold."""
        return sum(METRIC in row.values for row in self.rows)


def verdict(
    evaluation: Evaluation, snapshot: Snapshot, strategy: str, bounds: Sequence[Bound], saved: SavedScores | None
) -> Verdict:
    """Judge one strategy by the rows of its headline numbers.

    Raises:
        AcceptanceError: the saved scores are of other strategies or other questions.
    """
    rows = tuple(row for row in evaluation.headline_rows() if row.strategy == strategy)
    return Verdict(
        strategy=strategy,
        snapshot=evaluation.snapshot,
        rows=rows,
        bounds=judged(tuple(bounds), evaluation.headline()[strategy]),
        failures=failures(rows, Relatives.of(tuple(snapshot.chunks)), snapshot.asked),
        changes=changes(saved.snapshot, rows, _saved_rows(saved, strategy)) if saved else None,
        stale=evaluation.stale,
    )


def _saved_rows(saved: SavedScores, strategy: str) -> tuple[ScoredQuestion, ...]:
    rows = saved.of_strategy(strategy)
    if not rows:
        known = ", ".join(dict.fromkeys(row.strategy for row in saved.rows)) or "nothing"
        raise AcceptanceError(
            f"the baseline has no scores of {strategy}, only of {known}; "
            f"save them with `querymust eval --strategy {strategy} --save FILE`"
        )
    return rows
