"""Sweeps: parameters, their values, the scores of each, and a proposal."""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from types import MappingProxyType

from evals.comparison import Comparison, compare_experiments
from evals.evaluation import Evaluation
from evals.gate import decide
from evals.metrics import DEPTH
from evals.noise import NOISE, Relatives, noise
from evals.scored_questions import ScoredQuestion
from retrieval.files.atomic_files import write_atomically
from retrieval.search.strategies import strategy
from retrieval.strategy import GraphBoost, Strategy

Vary = Callable[[Strategy, float], Strategy]


@dataclass(frozen=True, slots=True)
class Sweep:
    """One parameter of one strategy. Key: name."""

    name: str
    base: str
    """The strategy that is varied."""
    parameter: str
    current: float
    """What the strategy has now."""
    values: tuple[float, ...]
    says: str
    """What the parameter does, in a sentence."""
    vary: Vary

    def variants(self, values: Sequence[float]) -> tuple[Strategy, ...]:
        """The strategy at each value, the current one among them; named for it."""
        base = strategy(self.base)
        return tuple(replace(self.vary(base, value), name=self.variant(value)) for value in self.tried(values))

    def tried(self, values: Sequence[float]) -> tuple[float, ...]:
        """The values in order; the current one is always among them, for the others are compared with it."""
        return tuple(sorted({*(values or self.values), self.current}))

    def variant(self, value: float) -> str:
        """The name of the strategy at a value."""
        return f"{self.base}@{self.parameter}-{value:g}"

    def points(self, evaluation: Evaluation, values: Sequence[float]) -> tuple["Point", ...]:
        """What each value gave, from the scores of `variants`."""
        return tuple(point(value, part(evaluation, self.variant(value), self.base)) for value in self.tried(values))


@dataclass(frozen=True, slots=True)
class Tried:
    """The numbers of one value; None where no question says anything. Key: value."""

    value: float
    mrr: float | None
    hit_at_1: float | None
    hit_at_10: float | None
    noise_at_15: float | None
    n: int
    """Questions that could be scored."""


@dataclass(frozen=True, slots=True)
class Point:
    """One value of a sweep, with the rows that the gate judges. Key: value."""

    tried: Tried
    scores: Evaluation
    """Of one strategy, under the name of the sweep's."""


def point(value: float, scores: Evaluation) -> Point:
    """What one value gave, from the scores of a single strategy."""
    metrics = next(iter(scores.headline().values()), {})
    mrr, first, tenth, noise = (metrics.get(name) for name in ("mrr", "hit@1", "hit@10", NOISE))
    return Point(Tried(value, mrr, first, tenth, noise, scores.n_questions), scores)


def part(evaluation: Evaluation, name: str, called: str) -> Evaluation:
    """One strategy of an evaluation under another name, so that two values are compared as one strategy."""
    whole = evaluation.experiment
    if whole is None:
        return evaluation
    rows = tuple(replace(row, strategy=called) for row in whole.rows if row.strategy == name)
    sums, times = (
        tuple(
            replace(number, strategy=called) if number.strategy == name else number
            for number in numbers
            if number.strategy in {name, "*"}
        )
        for numbers in (whole.aggregates, whole.timings)
    )
    return replace(evaluation, experiment=replace(whole, rows=rows, aggregates=sums, timings=times))


def _graph(change: Callable[[GraphBoost, float], GraphBoost]) -> Vary:
    return lambda base, value: replace(base, graph=change(base.graph or GraphBoost(), value))


_BOOST = GraphBoost()
_ALL = (
    Sweep(
        "hybrid_weight",
        "hybrid",
        "lexical_weight",
        strategy("hybrid").lexical_weight,
        tuple(step / 10 for step in range(11)),
        "Share of BM25 in the fused score of hybrid; the rest is the cosine's.",
        lambda base, value: replace(base, lexical_weight=value, dense_weight=round(1 - value, 10)),
    ),
    Sweep(
        "graph_boost",
        "hybrid_graph",
        "boost",
        _BOOST.boost,
        (0.0, 0.0125, 0.025, 0.05, 0.1, 0.2, 0.4),
        "What a direct neighbour of one of the best chunks gains in hybrid_graph.",
        _graph(lambda graph, value: replace(graph, boost=value)),
    ),
    Sweep(
        "graph_decay",
        "hybrid_graph",
        "decay",
        _BOOST.decay,
        (0.0, 0.2, 0.4, 0.6, 0.8, 1.0),
        "What each further edge of the graph counts beside the one before, in hybrid_graph.",
        _graph(lambda graph, value: replace(graph, decay=value)),
    ),
    Sweep(
        "graph_depth",
        "hybrid_graph",
        "depth",
        _BOOST.depth,
        (1, 2, 3, 4),
        "Edges at most between one of the best chunks and one that it raises, in hybrid_graph.",
        _graph(lambda graph, value: replace(graph, depth=int(value))),
    ),
    Sweep(
        "graph_seeds",
        "hybrid_graph",
        "seeds",
        _BOOST.seeds,
        (1, 3, 5, 10, 20),
        "How many of the best chunks raise their neighbours, in hybrid_graph.",
        _graph(lambda graph, value: replace(graph, seeds=int(value))),
    ),
)

SWEEPS: Mapping[str, Sweep] = MappingProxyType({sweep.name: sweep for sweep in _ALL})
"""Those that only search differently; chunk_size cuts the books anew, and k looks at how much of a ranking is shown."""


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
        curve = [asdict(point.tried) for point in points]
        write_atomically(path, json.dumps({**asdict(self), "says": str(self), "curve": curve}, indent=1) + "\n")


def propose(strategy: str, parameter: str, current: float, points: Sequence[Point]) -> Proposal | None:
    """The value with the best mrr, judged by the gate against the current one; None where nothing was scored.

    Of equal values the nearest to the current one is the best, then the smaller.
    """
    scored = [(point, point.tried.mrr) for point in points if point.tried.mrr is not None]
    now = next(((point, mrr) for point, mrr in scored if point.tried.value == current), None)
    if now is None:
        return None
    best, mrr = max(
        scored, key=lambda pair: (pair[1], -round(abs(pair[0].tried.value - current), 9), -pair[0].tried.value)
    )
    candidate, live = best.scores.experiment, now[0].scores.experiment
    assert candidate is not None  # noqa: S101 -- what has an mrr was scored
    decision = decide(candidate, live)
    comparison = _mrr(compare_experiments(candidate, live, ("mrr",))) if live and best is not now[0] else None
    return Proposal(
        strategy=strategy,
        parameter=parameter,
        current=current,
        best=best.tried.value,
        mrr_current=now[1],
        mrr_best=mrr,
        p=comparison.corrected if comparison else None,
        significant=bool(comparison and comparison.significant and not comparison.behind),
        reasons=tuple(str(reason) for reason in decision.reasons),
        passes=decision.passed,
    )


def _mrr(compared: Sequence[Comparison]) -> Comparison:
    """The comparison that rests on most questions; a home's question sets are compared one by one."""
    return max(compared, key=lambda comparison: comparison.n)


COUNTS = (1, 2, 3, 5, 8, 10, 15, 20, 30, 50, DEPTH)


@dataclass(frozen=True, slots=True)
class Shown:
    """The first k of the rankings that were asked for with 100. Key: k."""

    k: int
    recall: float
    """Mean share of the gold that is among them."""
    noise: float
    """Mean number of siblings of the right row among them."""


def shown_at(rows: Sequence[ScoredQuestion], relatives: Relatives, counts: Sequence[int] = COUNTS) -> tuple[Shown, ...]:
    """What each k shows, over the questions with gold; nothing where there are none.

    Args:
        rows: of one strategy.
        relatives: the chunks that were searched.
        counts: values of k, at most 100.
    """
    with_gold = [row for row in rows if row.gold]
    if not with_gold:
        return ()
    return tuple(
        Shown(
            k,
            sum(len(set(row.gold).intersection(row.deep_chunk_ids[:k])) / len(row.gold) for row in with_gold)
            / len(with_gold),
            sum(noise(row.deep_chunk_ids, row.gold, relatives, k) for row in with_gold) / len(with_gold),
        )
        for k in sorted(set(counts))
    )


def enough(points: Sequence[Shown], current: int) -> int:
    """The least k that shows as much of the gold as `current`, which is one of the points."""
    wanted = next(point.recall for point in points if point.k == current)
    return min(point.k for point in points if point.recall >= wanted)
