"""Which parameters are swept, over which values, and what each value gives a strategy."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType

from evals.evaluation import Evaluation
from evals.noise import NOISE
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
        return tuple(replace(self.vary(base, each), name=self.variant(each)) for each in self.tried(values))

    def tried(self, values: Sequence[float]) -> tuple[float, ...]:
        """The values in order; the current one is always among them, for the others are compared with it."""
        return tuple(sorted({*(values or self.values), self.current}))

    def variant(self, value: float) -> str:
        """The name of the strategy at a value."""
        return f"{self.base}@{self.parameter}-{value:g}"

    def points(self, evaluation: Evaluation, values: Sequence[float]) -> tuple["Point", ...]:
        """What each value gave, from the scores of `variants`."""
        return tuple(point(each, part(evaluation, self.variant(each), self.base)) for each in self.tried(values))


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
    found = next(iter(scores.headline().values()), {})
    mrr, first, tenth, noise = (found.get(name) for name in ("mrr", "hit@1", "hit@10", NOISE))
    return Point(Tried(value, mrr, first, tenth, noise, scores.n_questions), scores)


def part(evaluation: Evaluation, name: str, called: str) -> Evaluation:
    """One strategy of an evaluation under another name, so that two values are compared as one strategy."""
    whole = evaluation.experiment
    if whole is None:
        return evaluation
    rows = tuple(replace(row, strategy=called) for row in whole.rows if row.strategy == name)
    sums, times = (
        tuple(
            replace(each, strategy=called) if each.strategy == name else each
            for each in numbers
            if each.strategy in {name, "*"}
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
