"""`python -m tools benchmark`: querymust beside other systems."""

import os
import platform
import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated

import typer

from pipeline.commands.options import JsonOption
from pipeline.console.output import err, out, print_json, progress_bar
from retrieval.settings import DEFAULT_EMBEDDER

DOCS = Path("docs") / "results"


def benchmark(
    books: Annotated[
        list[Path] | None,
        typer.Option(
            "--books", help="Folder of books with questions; can be repeated. Default: the shelf.", exists=True
        ),
    ] = None,
    embedder: Annotated[
        list[str] | None, typer.Option("--embedder", help=f"Can be repeated; default: {DEFAULT_EMBEDDER}.")
    ] = None,
    system: Annotated[
        list[str] | None,
        typer.Option("--system", help="A name, or FILE.py:Class for your own; can be repeated. Default: all."),
    ] = None,
    add: Annotated[
        list[str] | None, typer.Option("--add", help="FILE.py:Class, in addition to all others; can be repeated.")
    ] = None,
    write: Annotated[bool, typer.Option("--write", help="Write benchmark.md, its data and its pictures.")] = False,
    docs: Annotated[Path, typer.Option("--docs", help="Folder to write to.")] = DOCS,
    json_: JsonOption = False,
) -> None:
    """Index books and ask their questions with several systems, each in a process of its own.

    \b
    Examples:
      python -m tools benchmark
      python -m tools benchmark --embedder wordllama --embedder minilm --write
      python -m tools benchmark --books mybooks --system default --system fts5
      python -m tools benchmark --add mine.py:Mine
      python -m tools benchmark --system mine.py:Mine --write --docs mine
    """
    from dataclasses import asdict

    from evals.sample import SHELF
    from retrieval.index.embedding.embedders import require_local
    from tools.benchmark.page import comparison_lines, require_page, write_page
    from tools.benchmark.results import RESULTS, Results, compare
    from tools.benchmark.run import lost_gold, measure, require_unique_names, require_unique_systems
    from tools.benchmark.system import SYSTEMS
    from tools.corpora.books import book_set

    folders = [folder.expanduser().resolve() for folder in books or [SHELF]]
    models = embedder or [DEFAULT_EMBEDDER]
    require_unique_names(folders)
    for model in models:
        require_local(model)
    names = [_absolute(name) for name in [*(system or SYSTEMS), *(add or [])]]
    measured_names = require_unique_systems(names)
    known = Results.read(docs / RESULTS) if write else Results()
    if write:
        require_page(docs)
        known.require_systems([folder.name for folder in folders], models, measured_names)
    for folder in folders:
        for sentence in lost_gold(book_set(folder)):
            err.print(f"gold not found: {sentence}")
    with progress_bar("benchmark") as bar:
        measured = measure(folders, names, models, bar)
    results = compare(measured, folders, models, datetime.now(tz=UTC).date().isoformat(), _machine())
    if json_:
        print_json(asdict(results))
    else:
        for comparison in results.comparisons:
            out.print("\n".join(comparison_lines(comparison)))
    if not measured.outcomes:
        raise typer.Exit(1)
    if write:
        write_page(docs, known.updated(results))
    err.print(f"{measured.seconds:.0f} s")


def _absolute(name: str) -> str:
    """The processes run in another folder."""
    file, _, class_name = name.rpartition(":")
    return f"{Path(file).expanduser().resolve()}:{class_name}" if file.endswith(".py") else name


def _machine() -> str:
    cores = os.cpu_count() or 1
    return f"one of {cores} cores, {platform.system()}, Python {sys.version_info.major}.{sys.version_info.minor}"
