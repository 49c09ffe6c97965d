"""What became of each question since the scores that were saved."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from evals.errors import AcceptanceError
from evals.experiment import Experiment
from evals.failures import METRIC
from evals.scored_questions import ScoredQuestion
from evals.statistics.aggregates import ALL
from evals.statistics.comparison import Comparison, compare_experiments


@dataclass(frozen=True, slots=True)
class Moved:
    """A question whose first gold chunk stands elsewhere. Key: (set, split, question id) of its row."""

    row: ScoredQuestion
    before: int | None
    """1-based rank; None: not among the first 100."""
    after: int | None

    @property
    def better(self) -> bool:
        """Whether it moved up."""
        return _place(self.after) < _place(self.before)


@dataclass(frozen=True, slots=True)
class Changes:
    """One strategy now, against what it did when its scores were saved, on the questions that both asked."""

    baseline: str
    """Snapshot of the saved scores."""
    n_shared: int
    gained: tuple[Moved, ...]
    """Gold is first and was not."""
    lost: tuple[Moved, ...]
    """Gold was first and is not."""
    moved: tuple[Moved, ...]
    """Neither, and at another rank; all three in the order of the questions."""
    added: tuple[ScoredQuestion, ...]
    """Not among the saved ones: new, or with another text."""
    n_gone: int
    """Saved ones that are not asked any more."""
    comparisons: tuple[Comparison, ...]

    @property
    def worse(self) -> tuple[Comparison, ...]:
        """Metrics on which it is significantly worse than it was."""
        return tuple(each for each in self.comparisons if each.behind and each.significant)


def changes(baseline: str, rows: Sequence[ScoredQuestion], saved: Sequence[ScoredQuestion]) -> Changes:
    """Compare one strategy's rows with its saved ones, question by question.

    Args:
        baseline: the snapshot of the saved ones.
        rows: of the evaluation that is judged.
        saved: of the same strategy.

    Raises:
        AcceptanceError: no question was asked on both sides.
    """
    earlier = {_key(row): row for row in saved}
    shared = [(row, earlier[_key(row)]) for row in rows if _key(row) in earlier]
    if not shared:
        raise AcceptanceError(
            "the baseline is about other questions: none of its questions is asked here; "
            "save a new one with `querymust eval --save FILE`"
        )
    found = [Moved(row, was.gold_rank, row.gold_rank) for row, was in shared if row.gold_rank != was.gold_rank]
    gained = tuple(each for each in found if each.after == 1)
    lost = tuple(each for each in found if each.before == 1)
    return Changes(
        baseline=baseline,
        n_shared=len(shared),
        gained=gained,
        lost=lost,
        moved=tuple(each for each in found if each not in gained and each not in lost),
        added=tuple(row for row in rows if _key(row) not in earlier),
        n_gone=len(earlier) - len(shared),
        comparisons=_compared(shared),
    )


def _compared(shared: Sequence[tuple[ScoredQuestion, ScoredQuestion]]) -> tuple[Comparison, ...]:
    if not any(METRIC in row.values for row, _ in shared):
        return ()  # no question has gold
    now, then = (_pooled(side) for side in zip(*shared, strict=True))
    return compare_experiments(now, then)


def _pooled(rows: Sequence[ScoredQuestion]) -> Experiment:
    """The rows of all sets as one set."""
    pooled = (replace(row, set=ALL, split=ALL, question_id="\t".join(_key(row))) for row in rows)
    return Experiment("", tuple(pooled), (), (), ())


def _key(row: ScoredQuestion) -> tuple[str, str, str, str]:
    # A question with another text is another question, whatever it is called.
    return (row.set, row.split, row.question_id, row.query)


def _place(rank: int | None) -> float:
    return float("inf") if rank is None else rank
