"""`mrr` of what ships and of what was live, from snapshot to snapshot."""

from collections.abc import Iterable
from dataclasses import dataclass

from evals.showing.curve import Curve


@dataclass(frozen=True, slots=True)
class Judged:
    """A snapshot as it was scored. Key: snapshot."""

    snapshot: str
    when: str
    mrr: float | None
    mrr_live: float | None


def trend(judged: Iterable[Judged]) -> str:
    """A picture in markdown of the last snapshots; of one that was scored twice, of the later time.

    Args:
        judged: the newest first.
    """
    by_snapshot: dict[str, Judged] = {}
    for each in judged:
        by_snapshot.setdefault(each.snapshot, each)
    points = list(by_snapshot.values())[::-1]
    scored = [each.mrr for each in points if each.mrr is not None]
    if len(points) == 1 and scored:
        return f"mrr {scored[0]:.3f} on the first snapshot that was scored; a picture begins with the second."
    lines = {"mrr": [each.mrr for each in points], "mrr of live": [each.mrr_live for each in points]}
    return Curve([each.when for each in points], lines).image() or "Nothing was scored yet."
