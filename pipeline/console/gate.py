"""What the gate said of the newest snapshot, as lines; and how long ago something was."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from evals.judging.verdicts import GateState

_UNITS = (("week", 7 * 86_400), ("day", 86_400), ("hour", 3_600), ("minute", 60))


def ago(then: datetime, now: datetime | None = None) -> str:
    """`just now`, `1 minute ago`, `3 days ago`: in the largest unit of which at least one has passed."""
    seconds = ((now or datetime.now(UTC)) - then).total_seconds()
    for name, length in _UNITS:
        if seconds >= length:
            count = int(seconds // length)
            return f"{count} {name}{'' if count == 1 else 's'} ago"
    return "just now"


def gate_lines(gate: GateState) -> Iterator[tuple[str, str]]:
    """A line for the verdict, then one for each reason."""
    when = f", {ago(gate.at)}" if gate.at else ""
    if gate.verdict == "held":
        yield "gate", f"every blocking check held for it{when}"
    elif gate.verdict == "forced":
        yield "gate", f"live by force{when}: {gate.forced}"
    elif gate.verdict == "refused":
        yield "gate", f"refused{when}; what was live stays live"
    elif gate.snapshot is not None:
        yield "gate", "not judged yet; querymust build judges it"
    for reason in gate.reasons:
        yield "", reason
