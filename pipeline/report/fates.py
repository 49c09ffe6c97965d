"""What became of each snapshot: it went live, by force or not, or the gate refused it."""

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from evals.judging.verdicts import refusals
from retrieval.index.snapshot.live_history import promotions


@dataclass(frozen=True, slots=True)
class Fate:
    """What became of one snapshot. Key: snapshot."""

    snapshot: str
    state: Literal["promoted", "forced", "refused"]
    why: str = ""
    """The reason that was given with force, or the checks that refused it."""


def fates(home: Path) -> dict[str, Fate]:
    """By snapshot; one that was neither promoted nor refused is not there.

    What was refused and went live later is promoted, and what ever went live by force stays forced.
    """
    found: dict[str, Fate] = {}
    for refusal in refusals(home):
        checks = found[refusal.snapshot].why + ", " if refusal.snapshot in found else ""
        found[refusal.snapshot] = Fate(refusal.snapshot, "refused", checks + refusal.check)
    for move in promotions(home):
        was = found.get(move.snapshot)
        if move.forced is not None:
            found[move.snapshot] = Fate(move.snapshot, "forced", move.forced)
        elif was is None or was.state != "forced":
            found[move.snapshot] = Fate(move.snapshot, "promoted")
    return found
