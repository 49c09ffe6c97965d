"""Metrics over one ranking, with trec_eval's meaning. The `str` of a metric is its name.

Rankings are total orders (score, then id), so there are no ties. A question with an empty ranking scores 0, and is
never omitted from a mean. Relevance is binary.
"""

import math
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field
from itertools import accumulate

DEPTH = 100
"""Length of the additional long ranking, in which the gold is located, and the cutoff of `mrr`."""
SHOWN = 15
"""Number of hits that an assistant is given; the cutoff of f1, precision, noise and contamination."""


@dataclass(frozen=True, slots=True)
class Judgement:
    """The ranks of the gold in one ranking."""

    ranks: tuple[int, ...]
    """1-based ranks of the gold chunks that were found, ascending."""
    gold: int
    """Number of gold chunks, found or not; at least 1."""
    returned: int
    """Length of the ranking."""


def judge(ranking: Sequence[str], gold: Collection[str]) -> Judgement:
    """Return the ranks of the gold in a ranking of chunk ids. A repeated id counts once, at its first place.

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
    """Number of hits of a ranking that it uses; hits missing from a shorter ranking count as absent."""
    formula: Callable[[Judgement], float] = field(compare=False, repr=False)

    def __call__(self, judgement: Judgement) -> float:
        """Return the value for one question, 0 (worst) to 1."""
        return self.formula(judgement)

    def __str__(self) -> str:
        return self.name


def hit(cutoff: int) -> Metric:
    """Return the metric that is 1 if a gold chunk is among the first k, else 0; also called success@k, not recall@k."""
    return Metric(
        f"hit@{cutoff}", cutoff, lambda judgement: float(bool(judgement.ranks) and judgement.ranks[0] <= cutoff)
    )


def mrr() -> Metric:
    """Return the metric 1 / rank of the first gold chunk among the first 100, 0 if there is none. Its mean is MRR."""
    return Metric(
        "mrr",
        DEPTH,
        lambda judgement: 1 / judgement.ranks[0] if judgement.ranks and judgement.ranks[0] <= DEPTH else 0.0,
    )


def ndcg(cutoff: int) -> Metric:
    """Return the discounted gain of the gold among the first k, relative to the best ranking.

    Järvelin and Kekäläinen, 2002. The discount is 1 / log2(rank + 1). The best ranking has min(gold, k) gold chunks at
    the top.
    """
    discounts = [1 / math.log2(rank + 1) for rank in range(1, cutoff + 1)]
    ideal = [0.0, *accumulate(discounts)]

    def formula(judgement: Judgement) -> float:
        gain = sum(discounts[rank - 1] for rank in judgement.ranks if rank <= cutoff)
        return gain / ideal[min(judgement.gold, cutoff)]

    return Metric(f"ndcg@{cutoff}", cutoff, formula)


def recall(cutoff: int) -> Metric:
    """Return the metric share of the gold chunks that are among the first k."""
    return Metric(f"recall@{cutoff}", cutoff, lambda judgement: _within(judgement, cutoff) / judgement.gold)


def precision(cutoff: int) -> Metric:
    """Return the metric gold chunks among the first k, over k, even if the ranking is shorter."""
    return Metric(f"precision@{cutoff}", cutoff, lambda judgement: _within(judgement, cutoff) / cutoff)


def f1() -> Metric:
    """Return the harmonic mean of set precision and set recall of the shown hits (15), trec_eval's set_F of those.

    Unlike precision@15, it divides by the number of returned hits, which rewards short answers. trec_eval's set_F of a
    file from `querymust eval --trec` is another number, because such a file has 100 hits for each question.
    """
    return Metric(
        "f1", SHOWN, lambda judgement: 2 * _within(judgement, SHOWN) / (min(judgement.returned, SHOWN) + judgement.gold)
    )


STANDARD: tuple[Metric, ...] = (hit(1), hit(5), hit(10), mrr(), ndcg(10), recall(10), precision(SHOWN), f1())
"""The metrics of every experiment. `metric_table` has their meanings and uses."""


def _within(judgement: Judgement, cutoff: int) -> int:
    return sum(rank <= cutoff for rank in judgement.ranks)
