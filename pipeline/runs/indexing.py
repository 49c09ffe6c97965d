"""The books of a build, each in a run of its own: one after the other in this process, or several at once in others."""

from collections.abc import Callable, Sequence
from functools import partial

from pipeline.runs.in_process import Runner
from pipeline.runs.outcomes import RunOutcome
from pipeline.runs.spread import Spread
from pipeline.runs.unchanged import Unchanged
from retrieval.book_lock import book_turn, wait_until_left
from retrieval.ingest.library.library import BookFolder

Doing = Callable[[str, str, int], None]
"""Told what is done, the asset that runs now, and how many books are done."""


def index_books(
    runner: Runner, folders: Sequence[BookFolder], unchanged: Unchanged, doing: Doing
) -> dict[str, RunOutcome]:
    """Run `index_book` for each of these books, and remember what was done to its end.

    Whoever a killed build left in a book is waited for.

    Returns:
        What became of each, by its slug and in slug order.
    """
    outcomes: dict[str, RunOutcome] = {}
    begun: list[str] = []

    def begin(slug: str, part: str = "") -> None:
        if slug not in begun:
            begun.append(slug)
        doing(f"book {begun.index(slug) + 1} of {len(folders)}: {slug}", part, len(outcomes))

    def end(slug: str, outcome: RunOutcome) -> None:
        outcomes[slug] = outcome
        # What a model could not be asked about today is work that is left.
        waiting = any(outcome.numbers.get(asset, {}).get("n_waiting") for asset in ("table_rows", "chunks"))
        if not outcome.problems and not waiting:
            unchanged.keep(slug, outcome.numbers)

    for folder in folders:
        unchanged.forget(folder.slug)
    root = runner.home.root
    if runner.home.settings.lanes > 1 and len(folders) > 1:
        Spread(runner, folders, begin, end).index()
    else:
        for slug in (folder.slug for folder in folders):
            begin(slug)
            with book_turn(root, slug):
                outcome = runner.run("index_book", slug, partial(begin, slug))
            end(slug, outcome)
    wait_until_left(root, [folder.slug for folder in folders])
    return dict(sorted(outcomes.items()))
