"""What trees are worth in a book that had no say in them."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from evals.learning.examples import Example
from evals.learning.lambdarank import SETTINGS, Settings, learn
from retrieval.search.rerank.trees import Trees

GENERATED = "generated"


@dataclass(frozen=True, slots=True)
class Score:
    """Means over questions."""

    n: int
    hit_1: float
    hit_5: float
    hit_10: float
    mrr: float

    @classmethod
    def of(cls, ranks: Sequence[int | None]) -> "Score":
        """From the rank of each question's best gold; None where it is no candidate. At least one."""
        found = np.asarray([np.inf if rank is None else rank for rank in ranks])
        hit_1, hit_5, hit_10 = (float((found <= k).mean()) for k in (1, 5, 10))
        return cls(len(ranks), hit_1, hit_5, hit_10, float((1 / found).mean()))


@dataclass(frozen=True, slots=True)
class LeftOut:
    """One kind of question of one group. Key: (group, kind)."""

    group: str
    kind: str
    """As the questions say; `generated` for those that templates wrote."""
    left_out: Score
    """By trees that were learned on all other groups."""
    shipped: Score
    """By trees that were learned on all."""
    first_look: Score
    """By the sum of the evidence alone."""


def leave_out(
    groups: Mapping[str, Sequence[Example]],
    names: Sequence[str],
    shipped: Trees,
    settings: Settings = SETTINGS,
    tell: Callable[[str], None] = lambda _: None,
) -> tuple[LeftOut, ...]:
    """Learn without each group in turn and score it; of one group, nothing.

    Args:
        groups: the questions by book or set.
        names: the features.
        shipped: learned on all groups.
        settings: how trees are grown.
        tell: called with the group that is left out now.

    Neither the questions of a group nor those generated from it have a say in the trees that it is scored by. The
    weights of the first look, which only choose the candidates, are the shipped ones.
    """
    found: list[LeftOut] = []
    if len(groups) < 2:
        return ()
    for held in sorted(groups):
        tell(held)
        others = learn({name: examples for name, examples in groups.items() if name != held}, names, settings)
        kinds: dict[str, list[Example]] = {}
        for example in groups[held]:
            kinds.setdefault(GENERATED if example.generated else example.kind, []).append(example)
        found += [
            LeftOut(
                held,
                kind,
                Score.of([each.rank(others.scores(each.values)) for each in examples]),
                Score.of([each.rank(shipped.scores(each.values)) for each in examples]),
                Score.of([each.rank(each.first) for each in examples]),
            )
            for kind, examples in sorted(kinds.items())
        ]
    return tuple(found)


def pooled(found: Sequence[LeftOut], kind: str) -> LeftOut | None:
    """The questions of one kind of all groups that were left out; None where there is none."""
    rows = [each for each in found if each.kind == kind]
    if not rows:
        return None
    return LeftOut(
        "all",
        kind,
        _mean([row.left_out for row in rows]),
        _mean([row.shipped for row in rows]),
        _mean([row.first_look for row in rows]),
    )


def _mean(scores: Sequence[Score]) -> Score:
    n = sum(score.n for score in scores)

    def mean(name: str) -> float:
        return float(sum(getattr(score, name) * score.n for score in scores)) / n

    return Score(n, mean("hit_1"), mean("hit_5"), mean("hit_10"), mean("mrr"))
