"""Metrics over one ranking, with trec_eval's meaning. A metric is a value: its `str` is its name everywhere.

Rankings are total orders (score, then id), so ties are settled before a metric sees them. A question whose ranking
is empty scores 0; it is never left out of a mean. Relevance is binary.
"""

import math
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field
from itertools import accumulate

DEPTH = 100
"""How many hits are asked for besides, to see where the gold is; how far down a ranking `mrr` looks."""
SHOWN = 15
"""How many hits an assistant is given; the cutoff of f1, precision, noise and contamination."""


@dataclass(frozen=True, slots=True)
class Judgement:
    """Where the gold is in one ranking."""

    ranks: tuple[int, ...]
    """1-based ranks of the gold chunks that were found, ascending."""
    gold: int
    """How many chunks are gold, found or not; at least 1."""
    returned: int
    """Length of the ranking."""


def judge(ranking: Sequence[str], gold: Collection[str]) -> Judgement:
    """Find the gold in a ranking of chunk ids. A repeated id counts once, at its first place.

    Raises:
        ValueError: no gold; such a question is scored by `no_answer_accuracy`.
    """
    wanted = set(gold)
    if not wanted:
        raise ValueError("a question without gold has no judgement; score it with no_answer_accuracy")
    size = len(wanted)
    ranks = []
    for rank, chunk_id in enumerate(ranking, start=1):
        if chunk_id in wanted:
            wanted.discard(chunk_id)
            ranks.append(rank)
            if not wanted:
                break
    return Judgement(tuple(ranks), size, len(ranking))


@dataclass(frozen=True, slots=True)
class Metric:
    """A named function of one judgement. Equal if the names are equal; `str(metric)` is the name."""

    name: str
    depth: int = field(compare=False)
    """How many hits of a ranking it looks at; of a shorter one it counts what was cut off as absent."""
    formula: Callable[[Judgement], float] = field(compare=False, repr=False)

    def __call__(self, judgement: Judgement) -> float:
        """Return the value for one question, 0 (worst) to 1."""
        return self.formula(judgement)

    def __str__(self) -> str:
        return self.name


def hit(cutoff: int) -> Metric:
    """1 if a gold chunk is among the first k, else 0. Elsewhere: success@k. Not recall@k."""
    return Metric(
        f"hit@{cutoff}", cutoff, lambda judgement: float(bool(judgement.ranks) and judgement.ranks[0] <= cutoff)
    )


def mrr() -> Metric:
    """1 / rank of the first gold chunk among the first 100, 0 if there is none. Its mean is MRR."""
    return Metric(
        "mrr",
        DEPTH,
        lambda judgement: 1 / judgement.ranks[0] if judgement.ranks and judgement.ranks[0] <= DEPTH else 0.0,
    )


def ndcg(cutoff: int) -> Metric:
    """Discounted gain of the gold among the first k over that of the best ranking; discount 1 / log2(rank + 1).

    Järvelin and Kekäläinen, 2002. The best ranking holds min(gold, k) gold chunks at the top.
    """
    discounts = [1 / math.log2(rank + 1) for rank in range(1, cutoff + 1)]
    ideal = [0.0, *accumulate(discounts)]

    def formula(judgement: Judgement) -> float:
        gain = sum(discounts[rank - 1] for rank in judgement.ranks if rank <= cutoff)
        return gain / ideal[min(judgement.gold, cutoff)]

    return Metric(f"ndcg@{cutoff}", cutoff, formula)


def recall(cutoff: int) -> Metric:
    """Share of the gold chunks that are among the first k."""
    return Metric(f"recall@{cutoff}", cutoff, lambda judgement: _within(judgement, cutoff) / judgement.gold)


def precision(cutoff: int) -> Metric:
    """Gold chunks among the first k, over k; a ranking shorter than k is not forgiven."""
    return Metric(f"precision@{cutoff}", cutoff, lambda judgement: _within(judgement, cutoff) / cutoff)


def f1() -> Metric:
    """Harmonic mean of set precision and set recall of the hits that are shown (15); trec_eval's set_F of those.

    Unlike precision@15 it divides by the hits that were returned, so answering with few chunks pays. trec_eval's set_F
    of a file that `querymust eval --trec` wrote is another number: such a file holds 100 hits a question.
    """
    return Metric(
        "f1", SHOWN, lambda judgement: 2 * _within(judgement, SHOWN) / (min(judgement.returned, SHOWN) + judgement.gold)
    )


STANDARD: tuple[Metric, ...] = (hit(1), hit(5), hit(10), mrr(), ndcg(10), recall(10), precision(SHOWN), f1())
"""What every experiment measures. Where a metric is shown, and what it means, is in `metric_table`."""


def _within(judgement: Judgement, cutoff: int) -> int:
    return sum(rank <= cutoff for rank in judgement.ranks)
