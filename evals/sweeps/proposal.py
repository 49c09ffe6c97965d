"""What a sweep proposes, and what the gate says to it. Nothing is changed by it: a person ships it, or does not."""

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from evals.gate import decide
from evals.statistics.comparison import Comparison, compare_experiments
from evals.sweeps.sweep import Point
from retrieval.atomic_files import write_atomically


@dataclass(frozen=True, slots=True)
class Proposal:
    """The best value of a sweep beside the one in use. Key: (strategy, parameter)."""

    strategy: str
    parameter: str
    current: float
    best: float
    mrr_current: float
    mrr_best: float
    p: float | None
    """Of the difference in mrr, corrected; None where both are the same value."""
    significant: bool
    reasons: tuple[str, ...]
    """What the gate has against it; those that only warn too."""
    passes: bool
    """Whether the gate would let a snapshot with it go live instead of one with the current value."""

    @property
    def worth_it(self) -> bool:
        """Better beyond chance, and the gate has nothing against it."""
        return self.significant and self.passes

    def __str__(self) -> str:
        what = f"{self.strategy}: {self.parameter}"
        if self.best == self.current:
            return f"keep {what} {self.current:g}: no other value has a better mrr ({self.mrr_current:.3f})."
        told = (
            f"mrr {self.mrr_current:.3f} to {self.mrr_best:.3f} ({self.mrr_best - self.mrr_current:+.3f}, "
            f"p {self.p or 0.0:.4f})"
        )
        if self.worth_it:
            return f"propose {what} {self.best:g} instead of {self.current:g}: {told}; the gate lets it pass."
        against = f"the gate refuses it: {'; '.join(self.reasons)}" if not self.passes else "chance may explain that"
        return f"keep {what} {self.current:g}: the best value is {self.best:g}, {told}, but {against}."

    def write(self, path: Path, points: Sequence[Point]) -> None:
        """Keep it with its curve, so that who ships a value can name what it rests on."""
        curve = [asdict(each.tried) for each in points]
        write_atomically(path, json.dumps({**asdict(self), "says": str(self), "curve": curve}, indent=1) + "\n")


def propose(strategy: str, parameter: str, current: float, points: Sequence[Point]) -> Proposal | None:
    """The value with the best mrr, judged by the gate against the current one; None where nothing was scored.

    Of equal values the nearest to the current one is the best, then the smaller.
    """
    scored = [(each, each.tried.mrr) for each in points if each.tried.mrr is not None]
    now = next(((each, mrr) for each, mrr in scored if each.tried.value == current), None)
    if now is None:
        return None
    best, mrr = max(
        scored, key=lambda each: (each[1], -round(abs(each[0].tried.value - current), 9), -each[0].tried.value)
    )
    candidate, live = best.scores.experiment, now[0].scores.experiment
    assert candidate is not None  # noqa: S101 -- what has an mrr was scored
    decision = decide(candidate, live)
    found = _mrr(compare_experiments(candidate, live, ("mrr",))) if live and best is not now[0] else None
    return Proposal(
        strategy=strategy,
        parameter=parameter,
        current=current,
        best=best.tried.value,
        mrr_current=now[1],
        mrr_best=mrr,
        p=found.corrected if found else None,
        significant=bool(found and found.significant and not found.behind),
        reasons=tuple(str(each) for each in decision.reasons),
        passes=decision.passed,
    )


def _mrr(compared: Sequence[Comparison]) -> Comparison:
    """The comparison that rests on most questions; a home's question sets are compared one by one."""
    return max(compared, key=lambda each: each.n)
