"""`querymust questions by-model`: questions about the live index in other words than the book's."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from pipeline.commands.options import (
    DEFAULT_HOME,
    BudgetOption,
    DryRunOption,
    HomeOption,
    JsonOption,
    ModelOption,
    asked_model,
)
from pipeline.console.estimates import print_estimate
from pipeline.console.output import counted, err, first_of, out, print_json

if TYPE_CHECKING:
    from collections.abc import Sequence

    from evals.asked_by_model.asking import Written
    from evals.asked_by_model.place import AskedPlace
    from retrieval.home import Home
    from retrieval.models.inquiries import Inquiries


def write_by_model(
    folder: Annotated[
        Path | None, typer.Option("--out", help="Where to write; a folder for each book.", show_default=False)
    ] = None,
    model: ModelOption = None,
    per_place: Annotated[int, typer.Option("--per-place", min=1, max=20, help="Questions of a table or section.")] = 3,
    budget: BudgetOption = None,
    dry_run: DryRunOption = False,
    home: HomeOption = DEFAULT_HOME,
    json_: JsonOption = False,
) -> None:
    """Have a chat model write questions about every table and section of the live index, marked as generated.

    What it writes is checked, and what was paid for is kept in the home: a second run asks only about what is new.
    Without a key there is querymust questions generate, which needs none.

    \b
    Examples:
      querymust questions by-model --dry-run
      querymust questions by-model --out asked --model gpt-4o-mini --budget 0.50
    """
    from evals.asked_by_model.asking import ask_about
    from evals.asked_by_model.place import places_of
    from evals.generation.document_questions import write_generated
    from retrieval.home import Home
    from retrieval.index.snapshot.snapshot import open_snapshot
    from retrieval.write_lock import write_lock

    opened = Home.at(home)
    with open_snapshot(opened.root) as snapshot:
        places = places_of(snapshot.chunks, per_place)
        asking = _asking(opened, model, budget)
        if dry_run:
            _estimate(opened, asking, places, json_=json_)
            return
        if folder is None:
            raise typer.BadParameter("name a folder for the questions, or ask for --dry-run", param_hint="--out")
        with write_lock(opened.root):
            written = ask_about(places, snapshot, asking)
    files = write_generated(folder.expanduser(), written.documents)
    if json_:
        print_json(_record(written, files))
        return
    out.print(f"{counted(written.n_questions, 'question')} in {counted(len(files), 'file')} under {folder}")
    _print_cost(written)


def _asking(home: Home, model: str | None, budget: float | None) -> Inquiries:
    from evals.asked_by_model.place import prompt_version
    from pipeline.building.model_tables import options_of
    from retrieval.models.access import Access
    from retrieval.models.inquiries import Inquiries

    options = options_of(asked_model(home.settings, model, budget))
    otherwise = "run: querymust questions generate"
    return Inquiries(Access.of_environment(), home.models, options, prompt_version(), otherwise=otherwise)


def _estimate(home: Home, asking: Inquiries, places: Sequence[AskedPlace], *, json_: bool) -> None:
    from evals.asked_by_model.asking import IS_USABLE
    from retrieval.models.estimate import Estimate

    waiting = asking.unanswered([place.inquiry(asking.model) for place in places], IS_USABLE)
    found = Estimate.of((each.asked for each in waiting), "places", asking.options.asked_price)
    chosen = f"{counted(len(places), 'place')} in {home.root}"
    print_estimate(found, asking.options, asking.prompt, chosen, json_=json_)


def _record(written: Written, files: Sequence[Path]) -> dict[str, object]:
    return {
        "questions": written.n_questions,
        "files": [str(path) for path in files],
        "disbelieved": [asdict(each) for each in written.disbelieved],
        "left": list(written.left),
        "used": asdict(written.bill.used),
        "usd": written.bill.usd,
    }


def _print_cost(written: Written) -> None:
    usd = "" if written.bill.usd is None else f", ${written.bill.usd:.4f}"
    err.print(f"{written.bill.used.total:,} tokens{usd}", markup=False)
    lines = [f"not used: {each.question!r}: {each.why}" for each in written.disbelieved]
    lines += [f"no answer: {why}" for why in dict.fromkeys(written.left)]
    for line in first_of(lines):
        err.print(line, markup=False)
