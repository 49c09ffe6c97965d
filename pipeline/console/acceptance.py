"""How a verdict is shown in a terminal: the bounds, what changed question by question, and whether it passed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pipeline.console.output import counted, out, print_error

if TYPE_CHECKING:
    from collections.abc import Sequence

    from evals.acceptance.changes import Changes, Moved
    from evals.acceptance.verdict import Verdict


def print_verdict(verdict: Verdict) -> None:
    """What changed on standard output, and what keeps it from passing on standard error."""
    from evals.acceptance.wording import broken_bound, decline

    if verdict.changes:
        _print_changes(verdict.strategy, verdict.changes)
    for judged in verdict.bounds:
        if not judged.holds:
            print_error(f"{verdict.strategy}: {broken_bound(judged)}")
    for comparison in verdict.changes.worse if verdict.changes else ():
        print_error(f"{verdict.strategy}: {decline(comparison)}")


def verdict_record(verdict: Verdict) -> dict[str, object]:
    """A verdict as JSON values; the failing questions are under `failures`."""
    changes = verdict.changes
    return {
        "strategy": verdict.strategy,
        "passed": verdict.passed,
        "bounds": [
            {"metric": each.bound.metric, "bound": each.bound.value, "score": each.score, "holds": each.holds}
            for each in verdict.bounds
        ],
        "changes": changes
        and {
            "baseline": changes.baseline,
            "questions": changes.n_shared,
            "gained": _records(changes.gained),
            "lost": _records(changes.lost),
            "moved": _records(changes.moved),
            "new": [row.question_id for row in changes.added],
            "gone": changes.n_gone,
            "worse": [
                {"metric": each.metric, "difference": each.difference, "p": each.corrected} for each in changes.worse
            ],
        },
    }


def _records(moved: Sequence[Moved]) -> list[dict[str, object]]:
    return [
        {"set": each.row.set, "id": each.row.question_id, "query": each.row.query}
        | {"rank_before": each.before, "rank": each.after}
        for each in moved
    ]


def _print_changes(strategy: str, changes: Changes) -> None:
    from evals.acceptance.wording import move

    out.print(
        f"\n{strategy}: against {changes.baseline}, on {counted(changes.n_shared, 'question')}: "
        f"{len(changes.gained)} gained, {len(changes.lost)} lost, {len(changes.moved)} moved",
        style="bold",
    )
    for what, moved in (("gained", changes.gained), ("lost", changes.lost), ("moved", changes.moved)):
        for each in moved:
            out.print(f"  {what}  {each.row.question_id}: {move(each)}: {each.row.query}", markup=False)
    if changes.added or changes.n_gone:
        out.print(f"  not compared: {len(changes.added)} new, {changes.n_gone} gone")
