"""`querymust bench`: strategies scored on published question sets, and the engine timed."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from pipeline.commands.bench_sets import add_sets
from pipeline.commands.command_list import CommandList
from pipeline.commands.options import JsonOption
from pipeline.console.output import print_report, progress_bar

if TYPE_CHECKING:
    pass


app = typer.Typer(
    cls=CommandList, help="Score published question sets; time the engine.", no_args_is_help=True, rich_markup_mode=None
)

add_sets(app)


@app.command("predicates")
def bench_predicates(
    n: Annotated[int, typer.Option("--n", min=1, max=1_000_000, help="How many predicates.")] = 100_000,
    json_: JsonOption = False,
) -> None:
    """Time the compiled predicates against a plain loop over all of them.

    \b
    Example:
      querymust bench predicates --n 100000
    """
    with progress_bar("predicates") as bar:
        bar(f"{n} of them", 0, 1)
        from pipeline.bench.predicates.timing import run_predicates

        report = run_predicates(n)
    print_report(report, report.lines(), json_=json_)


@app.command("scale")
def bench_scale(
    chunks: Annotated[int, typer.Option("--chunks", min=100, help="How many; a multiple of 100.")] = 100_000,
    keep: Annotated[
        Path | None,
        typer.Option("--keep", help="Folder for the index, which a second run takes up again.", file_okay=False),
    ] = None,
    chroma: Annotated[
        bool, typer.Option("--chroma", help="Time Chroma itself beyond 200,000 chunks too, which takes long to fill.")
    ] = False,
    json_: JsonOption = False,
) -> None:
    """Time every way of searching on a synthetic library of near-twin rows; needs the dev extra.

    \b
    Examples:
      querymust bench scale --chunks 100000
      querymust bench scale --chunks 1000000 --keep scale-1000000 --json
    """
    with progress_bar("scale") as bar:
        bar(f"{chunks} chunks", 0, 1)
        from pipeline.bench.extra import require_extra
        from pipeline.bench.scale.run import run_scale

        require_extra("bm25s")
        _require_hundreds(chunks)
        report = run_scale(chunks, home=keep.expanduser().resolve() if keep else None, tell=bar, chroma=chroma)
    print_report(report, report.lines(), json_=json_)


@app.command("contract")
def bench_contract(
    chunks: Annotated[int, typer.Option("--chunks", min=100, help="Of the large library; a multiple of 100.")] = (
        100_000
    ),
    keep: Annotated[
        Path | None,
        typer.Option("--keep", help="Folder for its index, as that of `bench scale`.", file_okay=False),
    ] = None,
    json_: JsonOption = False,
) -> None:
    """Time the contract's answers over a hundred documents and over a large library, beside a plain Chroma query.

    \b
    Examples:
      querymust bench contract
      querymust bench contract --keep scale-100000 --json
    """
    with progress_bar("contract") as bar:
        bar(f"{chunks} chunks", 0, 1)
        from pipeline.bench.contract.run import run_contract

        _require_hundreds(chunks)
        report = run_contract(chunks, home=keep.expanduser().resolve() if keep else None, tell=bar)
    print_report(report, report.lines(), json_=json_)


@app.command("builds")
def bench_builds(
    library: Annotated[Path, typer.Option("--library", help="Folder of books.")],
    times: Annotated[int, typer.Option("--times", min=1, help="How often each book is built.")] = 100,
    json_: JsonOption = False,
) -> None:
    """Build every book of a library many times, and count the builds whose index goes live.

    \b
    Example:
      querymust bench builds --library books --times 100
    """
    with progress_bar("builds") as bar:
        bar("starting", 0, 1)
        from pipeline.bench.builds import run_builds
        from retrieval.index.embedding.embedders import load_embedder
        from retrieval.settings import Settings

        report = run_builds(library.expanduser().resolve(), times, load_embedder(Settings().embedder), bar)
    print_report(report, report.lines(), json_=json_)


@app.command("rebuild")
def bench_rebuild(
    chunks: Annotated[int, typer.Option("--chunks", min=200, help="Of the synthetic library.")] = 13_000,
    data: Annotated[
        Path | None,
        typer.Option("--data", help="Folder of books to copy and edit instead.", exists=True, file_okay=False),
    ] = None,
    json_: JsonOption = False,
) -> None:
    """Time builds after nothing, one cell, one document and one book changed, against the first build.

    \b
    Examples:
      querymust bench rebuild
      querymust bench rebuild --chunks 100000 --json
    """
    with progress_bar("rebuild") as bar:
        bar("writing the library", 0, 1)
        from pipeline.runs.rebuild.run import run_rebuild

        report = run_rebuild(chunks, data.expanduser().resolve() if data else None, bar)
    print_report(report, report.lines(), json_=json_)


@app.command("faults")
def bench_faults(
    trials: Annotated[int, typer.Option("--trials", min=0, help="How many kills.")] = 200,
    files: Annotated[int | None, typer.Option("--files", min=0, help="How many are damaged; else every one.")] = None,
    disks: Annotated[int, typer.Option("--disks", min=0, help="Sizes of a full disk; 0: no hardship at all.")] = 3,
    promotions: Annotated[int, typer.Option("--promotions", min=0, help="How many under readers.")] = 20,
    seed: Annotated[int, typer.Option("--seed", help="Of the documents and the moments.")] = 0,
    json_: JsonOption = False,
) -> None:
    """Kill what writes at random moments, damage files, fill disks, read while indexes go live, and count what broke.

    Status 1 if anything did. The hardships are full disks, a home that may not be written, another model behind a name,
    and a snapshot of an older program.

    \b
    Examples:
      querymust bench faults
      querymust bench faults --trials 20 --files 0 --disks 0 --promotions 0 --seed 1 --json
    """
    with progress_bar("faults") as bar:
        bar("starting", 0, 1)
        from pipeline.runs.faults.readers import Readers
        from pipeline.runs.faults.run import Scope, run_faults

        readers = Readers(promotions) if promotions else None
        scope = Scope(trials, files, disks=disks, readers=readers, ordeals=None if disks else ())
        report = run_faults(scope, seed, bar)
    print_report(report, report.lines(), json_=json_)
    if not report.sound:
        raise typer.Exit(1)


@app.command("documents")
def bench_documents(
    count: Annotated[int, typer.Option("--count", min=0, help="How many are written.")] = 10_000,
    seed: Annotated[int, typer.Option("--seed", help="Of what is written.")] = 0,
    json_: JsonOption = False,
) -> None:
    """Bring random documents through the ingest: which fall or lose a word, and how its time grows.

    Status 1 if one crashed, lost a word or made a rule fail. Nothing is embedded.

    \b
    Examples:
      querymust bench documents
      querymust bench documents --count 500 --seed 3 --json
    """
    with progress_bar("documents") as bar:
        bar("starting", 0, 1)
        from pipeline.bench.documents.run import run_documents

        report = run_documents(count, seed, bar)
    print_report(report, report.lines(), json_=json_)
    if report.crashed or report.rule_failed or report.lost:
        raise typer.Exit(1)


@app.command("gate")
def bench_gate(
    changes: Annotated[int, typer.Option("--changes", min=1, help="How many of each kind and size.")] = 300,
    json_: JsonOption = False,
) -> None:
    """Simulate changes of an index, and count those that the gate refuses.

    \b
    Example:
      querymust bench gate --changes 100
    """
    with progress_bar("gate") as bar:
        bar("starting", 0, 1)
        from pipeline.bench.gate import run_gate

        report = run_gate(changes, tell=bar)
    print_report(report, report.lines(), json_=json_)


@app.command("metrics")
def bench_metrics(
    questions: Annotated[int, typer.Option("--questions", min=1, help="How many.")] = 10_000,
    json_: JsonOption = False,
) -> None:
    """Time our metrics against pytrec_eval's on random rankings; needs the dev extra.

    \b
    Example:
      querymust bench metrics
    """
    with progress_bar("metrics") as bar:
        bar(f"{questions} questions", 0, 1)
        from pipeline.bench.metrics import run_metrics

        report = run_metrics(questions)
    print_report(report, report.lines(), json_=json_)


def _require_hundreds(chunks: int) -> None:
    if chunks % 100:
        raise typer.BadParameter(f"{chunks} is not a multiple of 100", param_hint="--chunks")
