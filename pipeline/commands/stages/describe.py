"""`querymust describe-passages`: chunks whose prose a model has said something about."""

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
from pipeline.console.output import counted, first_of, out, print_json

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from retrieval.ingest.model_passages.describing import ModelPassages
    from retrieval.ingest.model_passages.outcome import Described
    from retrieval.types import Book, Chunk


def describe(
    source: Annotated[
        Path,
        typer.Argument(
            metavar="IN", help="What transform-tables left, or a library, a folder or a file.", show_default=False
        ),
    ],
    output: Annotated[
        Path | None, typer.Option("--output", metavar="FILE", help="JSON lines, one chunk each.", show_default=False)
    ] = None,
    home: HomeOption = DEFAULT_HOME,
    model: ModelOption = None,
    budget: BudgetOption = None,
    batch: Annotated[
        bool, typer.Option("--batch", help="Send all passages of a book as one batch: half the price, up to a day.")
    ] = False,
    dry_run: DryRunOption = False,
    json_: JsonOption = False,
) -> None:
    """Cut books into chunks as `chunk` does, and have a model say what each passage of prose is about.

    Its kind, tags, traits and a summary become metadata; ids, words and predicates stay. What it says is checked, and
    what does not hold stays as the rules said it. The key is OPENAI_API_KEY; without it the rules say everything, and
    the command says so. Answers are kept in the home: the same passage is never paid twice.

    \b
    Examples:
      querymust describe-passages guide.md --dry-run
      querymust describe-passages rows --output chunks.jsonl --budget 0.50
    """
    from pipeline.building.model_passages import describer_of
    from pipeline.building.stages import cut_books
    from retrieval.home import Home
    from retrieval.models.access import Access
    from retrieval.records import write_jsonl
    from retrieval.write_lock import write_lock

    opened = Home.at(home)
    settings = asked_model(opened.settings, model, budget)
    describer = describer_of(settings, Access.of_environment(), opened.models, batch=batch)
    books = cut_books(source)
    if dry_run:
        _passage_estimate(describer, books, json_=json_)
        return
    if output is None:
        raise typer.BadParameter("name a file for the chunks, or ask for --dry-run", param_hint="--output")
    with write_lock(opened.root):
        done = {
            book.slug: describer.describe(cut, {each.path: each.metadata for each in book.documents})
            for book, cut in books
        }
    write_jsonl(output.expanduser(), [chunk for each in done.values() for chunk in each.chunks])
    if json_:
        print_json({slug: _passage_record(each) for slug, each in done.items()})
        return
    _print_passages(done, output)


def _passage_estimate(describer: ModelPassages, books: Sequence[tuple[Book, Sequence[Chunk]]], *, json_: bool) -> None:
    from retrieval.models.estimate import Estimate

    options = describer.options
    asked = (asked for _, cut in books for asked in describer.unanswered(cut))
    found = Estimate.of(asked, "passages", options.asked_price)
    n_prose = sum(chunk.kind == "prose" for _, cut in books for chunk in cut)
    print_estimate(found, options, describer.prompt, counted(n_prose, "passage"), json_=json_)


def _passage_record(done: Described) -> dict[str, object]:
    from pipeline.building.model_work import record_of

    passages = [asdict(outcome) for outcome in done.outcomes]
    return {"chunks": len(done.chunks), **record_of(done), "kind_agreement": done.agreement, "passages": passages}


def _print_passages(done: Mapping[str, Described], output: Path) -> None:
    from pipeline.building.model_passages import told

    for slug, each in done.items():
        out.print(f"{slug}: {counted(len(each.chunks), 'chunk')}{told(each)}", markup=False)
        lines = [f"{one.title} ({one.document}:{one.line}): {one.said}" for one in each.outcomes if one.reason]
        lines += [
            f"{one.title} ({one.document}:{one.line}): {part.part} not believed: {part.why}"
            for one in each.outcomes
            for part in one.dropped
        ]
        for line in first_of(lines):
            out.print(f"  {line}", markup=False)
    out.print(f"chunks in {output}", markup=False)
