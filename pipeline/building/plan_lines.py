"""A plan of a build as lines."""

from pipeline.building.plan import STATES, BuildPlan
from pipeline.console.output import counted, named, out

_SHOWN = 5


def print_plan(plan: BuildPlan) -> None:
    """Which books, how many chunks, and what it costs."""
    for state in STATES:
        slugs = [book.slug for book in plan.books if book.state == state]
        if slugs:
            out.print(f"{state:<10} {counted(len(slugs), 'book')}: {named(slugs, _SHOWN)}", markup=False)
    again = [book.slug for book in plan.books if book.is_read and book.state == "unchanged"]
    if again:
        why = "the program, the words or the embedder changed"
        out.print(f"{'again':<10} {counted(len(again), 'unchanged book')}, because {why}", markup=False)
    chunks = {"embed": plan.total("n_embedded"), "reuse": plan.total("n_reused"), "delete": plan.total("n_deleted")}
    out.print(f"{'chunks':<10} {', '.join(f'{count:,} to {what}' for what, count in chunks.items())}", markup=False)
    out.print(f"{'embedder':<10} {plan.embedder}: {'missing' if plan.obstacle else plan.cost}", markup=False)
    budget = "none, so no limit" if plan.budget is None else f"${plan.budget:g}"
    out.print(f"{'budget':<10} {budget}", markup=False)
