"""`querymust bench hints`, `conditions` and `answers`: what is understood of questions, and read as their answers."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path
from typing import Annotated

import typer

from pipeline.commands.options import DEFAULT_HOME, HomeOption, JsonOption
from pipeline.console.output import print_report, progress_bar


def bench_hints(
    data: Annotated[Path, typer.Option("--data", help="Folder with folders of books in it.", show_default=False)],
    split: Annotated[str, typer.Option("--split", help="Which questions, as the files are named.")] = "open",
    home: HomeOption = DEFAULT_HOME,
    json_: JsonOption = False,
) -> None:
    """Compare hints at categories with none and with a filter: what a right and a wrong one keep out and lose.

    All books are searched together, and each is a category.

    \b
    Example:
      querymust bench hints --data ROOT
    """
    with progress_bar("hints") as bar:
        bar("starting", 0, 1)
        from pipeline.bench.understanding.hints import run_hints
        from pipeline.bench.understanding.shelf import read_shelf
        from retrieval.index.embedding.embedders import load_embedder
        from retrieval.settings import Settings

        root = home.expanduser().resolve()
        embedder = load_embedder(Settings.read(root).embedder)
        curve = run_hints(root / "benchmarks", read_shelf(data, split), embedder, bar)
    print_report(curve, curve.lines(), json_=json_)


def bench_conditions(
    data: Annotated[Path, typer.Option("--data", help="Folder of documents and questions.", show_default=False)],
    today: Annotated[datetime, typer.Option("--today", formats=["%Y-%m-%d"], help="What `last month` goes back from.")],
    split: Annotated[str, typer.Option("--split", help="Which questions, as the files are named.")] = "open",
    home: HomeOption = DEFAULT_HOME,
    json_: JsonOption = False,
) -> None:
    """Judge how questions that state conditions are read, and time them: one at a time, and 50 at once.

    \b
    Example:
      querymust bench conditions --data ROOT/self-query --today 2026-08-22
    """
    with progress_bar("conditions") as bar:
        bar("starting", 0, 1)
        from evals.benchmarks.documents import read_documents
        from pipeline.bench.understanding.conditions import run_conditions
        from retrieval.index.embedding.embedders import load_embedder
        from retrieval.settings import Settings

        root = home.expanduser().resolve()
        (corpus,) = read_documents("self-query", data, split)
        embedder = load_embedder(Settings.read(root).embedder)
        report = run_conditions(root / "benchmarks", corpus, today.date(), embedder, bar)
    print_report(report, report.lines(), json_=json_)


def bench_answers(
    data: Annotated[Path, typer.Option("--data", help="Folder with folders of books in it.", show_default=False)],
    split: Annotated[str, typer.Option("--split", help="Which questions, as the files are named.")] = "open",
    home: HomeOption = DEFAULT_HOME,
    json_: JsonOption = False,
) -> None:
    """Put answers that are read beside those that people wrote, and count what is refused.

    \b
    Example:
      querymust bench answers --data ROOT
    """
    with progress_bar("answers") as bar:
        bar("starting", 0, 1)
        from pipeline.bench.answers import run_answers
        from retrieval.index.embedding.embedders import load_embedder
        from retrieval.settings import Settings

        root = home.expanduser().resolve()
        report = run_answers(root / "benchmarks", data, split, load_embedder(Settings.read(root).embedder), bar)
    print_report(report, report.lines(), json_=json_)
