"""May fitted numbers take the place of those that ship? The gate's rule, asked of every group of questions."""

from collections.abc import Mapping, Sequence

from evals.statistics.non_inferiority import Paired, judge

Ranks = Sequence[int | None]
"""1-based rank of each question's best gold; None where it is no candidate."""


def worse_groups(ranks: Mapping[str, tuple[Ranks, Ranks]]) -> tuple[str, ...]:
    """A sentence for each group that the new numbers lose more in than the gate lets through; empty: they may ship.

    Args:
        ranks: by group, with the new numbers and with those that ship, over the same questions; at least one each.
    """
    found = judge([Paired(_reciprocal(ours), _reciprocal(theirs)) for ours, theirs in ranks.values()])
    return tuple(
        f"{group}: mrr is below that of what ships, {each}"
        for group, each in zip(ranks, found, strict=True)
        if each.verdict == "worse"
    )


def _reciprocal(ranks: Ranks) -> list[float]:
    return [1 / rank if rank else 0.0 for rank in ranks]
