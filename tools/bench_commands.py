"""`python -m tools bench`: strategies scored on published question sets, and the engine timed."""

from __future__ import annotations

from dataclasses import asdict
from datetime import datetime
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from pipeline.commands.options import DEFAULT_HOME, CommandList, HomeOption, JsonOption
from pipeline.console.output import err, out, print_json, progress_bar
from retrieval.errors import RetrievalError
from tools.set_commands import add_sets, benchmarks_of

if TYPE_CHECKING:
    from collections.abc import Iterable

    from _typeshed import DataclassInstance

app = typer.Typer(
    cls=CommandList, help="Score published question sets; time the engine.", no_args_is_help=True, rich_markup_mode=None
)

add_sets(app)


def print_report(report: DataclassInstance, lines: Iterable[str], *, json_: bool) -> None:
    """What a benchmark found: its record as JSON, or its lines."""
    if json_:
        print_json(asdict(report))
        return
    for line in lines:
        out.print(line)


@app.command("predicates")
def bench_predicates(
    n: Annotated[int, typer.Option("--n", min=1, max=1_000_000, help="Number of predicates.")] = 100_000,
    json_: JsonOption = False,
) -> None:
    """Time the compiled predicates against a plain loop over all of them.

    \b
    Example:
      python -m tools bench predicates --n 100000
    """
    with progress_bar("predicates"):
        from tools.bench.predicates import run_predicates

        report = run_predicates(n)
    print_report(report, report.lines(), json_=json_)


@app.command("scale")
def bench_scale(
    chunks: Annotated[int, typer.Option("--chunks", min=100, help="Number of chunks; a multiple of 100.")] = 100_000,
    keep: Annotated[
        Path | None,
        typer.Option("--keep", help="Folder for the index, which a second run reuses.", file_okay=False),
    ] = None,
    chroma: Annotated[
        bool, typer.Option("--chroma", help="Also time Chroma itself beyond 200,000 chunks, which takes long to fill.")
    ] = False,
    json_: JsonOption = False,
) -> None:
    """Time every way of searching on a synthetic library of near-twin rows; needs the dev extra.

    \b
    Examples:
      python -m tools bench scale --chunks 100000
      python -m tools bench scale --chunks 1000000 --keep scale-1000000 --json
    """
    with progress_bar("scale") as bar:
        from tools.bench.scale.run import run_scale

        if find_spec("bm25s") is None:
            raise RetrievalError(
                "bm25s is not installed, so there is nothing to compare with; run: pip install -e '.[dev]'"
            )
        _require_hundreds(chunks)
        report = run_scale(chunks, home=keep.expanduser().resolve() if keep else None, tell=bar, chroma=chroma)
    print_report(report, report.lines(), json_=json_)


@app.command("contract")
def bench_contract(
    chunks: Annotated[
        int, typer.Option("--chunks", min=100, help="Number of chunks of the large library; a multiple of 100.")
    ] = (100_000),
    keep: Annotated[
        Path | None,
        typer.Option("--keep", help="Folder for its index, such as that of `bench scale`.", file_okay=False),
    ] = None,
    json_: JsonOption = False,
) -> None:
    """Time the contract's answers over a hundred documents and over a large library, beside a plain Chroma query.

    \b
    Examples:
      python -m tools bench contract
      python -m tools bench contract --keep scale-100000 --json
    """
    with progress_bar("contract") as bar:
        from tools.bench.contract import run_contract

        _require_hundreds(chunks)
        report = run_contract(chunks, home=keep.expanduser().resolve() if keep else None, tell=bar)
    print_report(report, report.lines(), json_=json_)


@app.command("rebuild")
def bench_rebuild(
    chunks: Annotated[
        int, typer.Option("--chunks", min=200, help="Number of chunks of the synthetic library.")
    ] = 13_000,
    data: Annotated[
        Path | None,
        typer.Option("--data", help="Folder of books to copy and edit instead.", exists=True, file_okay=False),
    ] = None,
    json_: JsonOption = False,
) -> None:
    """Time builds after nothing, one cell, one document and one book changed, against the first build.

    \b
    Examples:
      python -m tools bench rebuild
      python -m tools bench rebuild --chunks 100000 --json
    """
    with progress_bar("rebuild") as bar:
        from tools.bench.rebuild import run_rebuild

        report = run_rebuild(chunks, data.expanduser().resolve() if data else None, bar)
    print_report(report, report.lines(), json_=json_)


@app.command("faults")
def bench_faults(
    trials: Annotated[int, typer.Option("--trials", min=0, help="Number of kills.")] = 200,
    files: Annotated[int | None, typer.Option("--files", min=0, help="Number of damaged files; default: all.")] = None,
    disks: Annotated[int, typer.Option("--disks", min=0, help="Sizes of a full disk; 0: no hardship at all.")] = 3,
    promotions: Annotated[int, typer.Option("--promotions", min=0, help="Number of promotions under readers.")] = 20,
    seed: Annotated[int, typer.Option("--seed", help="Seed of the documents and the moments.")] = 0,
    json_: JsonOption = False,
) -> None:
    """Kill what writes at random moments, damage files, fill disks, read while indexes go live, and count what broke.

    Status 1 if anything did. The hardships are full disks, a home that may not be written, another model behind a name,
    and a snapshot of an older program.

    \b
    Examples:
      python -m tools bench faults
      python -m tools bench faults --trials 20 --files 0 --disks 0 --promotions 0 --seed 1 --json
    """
    with progress_bar("faults") as bar:
        from tools.faults.readers import Readers
        from tools.faults.run import Scope, run_faults

        readers = Readers(promotions) if promotions else None
        scope = Scope(trials, files, disks=disks, readers=readers, ordeals=None if disks else ())
        report = run_faults(scope, seed, bar)
    print_report(report, report.lines(), json_=json_)
    if not report.sound:
        raise typer.Exit(1)


@app.command("documents")
def bench_documents(
    count: Annotated[int, typer.Option("--count", min=0, help="Number of documents.")] = 10_000,
    seed: Annotated[int, typer.Option("--seed", help="Seed of the documents.")] = 0,
    json_: JsonOption = False,
) -> None:
    """Bring random documents through the ingest: which fall or lose a word, and how its time grows.

    Status 1 if one crashed, lost a word or made a rule fail. Nothing is embedded.

    \b
    Examples:
      python -m tools bench documents
      python -m tools bench documents --count 500 --seed 3 --json
    """
    with progress_bar("documents") as bar:
        from tools.bench.documents import run_documents

        report = run_documents(count, seed, bar)
    print_report(report, report.lines(), json_=json_)
    if report.crashed or report.rule_failed or report.lost:
        raise typer.Exit(1)


@app.command("gate")
def bench_gate(
    changes: Annotated[int, typer.Option("--changes", min=1, help="Number of changes of each kind and size.")] = 300,
    json_: JsonOption = False,
) -> None:
    """Simulate changes of an index, and count those that the gate refuses.

    \b
    Example:
      python -m tools bench gate --changes 100
    """
    with progress_bar("gate") as bar:
        from tools.bench.gate import run_gate

        report = run_gate(changes, tell=bar)
    print_report(report, report.lines(), json_=json_)


def _require_hundreds(chunks: int) -> None:
    if chunks % 100:
        raise typer.BadParameter(f"{chunks} is not a multiple of 100", param_hint="--chunks")


@app.command("siblings")
def bench_siblings(
    data: Annotated[Path, typer.Option("--data", help="Folder with folders of books.", show_default=False)],
    split: Annotated[str, typer.Option("--split", help="Split of the questions, as in the file names.")] = "open",
    home: HomeOption = DEFAULT_HOME,
    json_: JsonOption = False,
) -> None:
    """Count rows of the right table among the first hits, with and without predicates and collapse.

    \b
    Example:
      python -m tools bench siblings --data ROOT
    """
    with progress_bar("siblings") as bar:
        from tools.bench.siblings import run_siblings

        folder, embedder = benchmarks_of(home)
        report = run_siblings(folder, data, split, embedder, bar)
    print_report(report, report.lines(), json_=json_)


@app.command("spread")
def bench_spread(
    books: Annotated[int, typer.Option("--books", min=2, help="Number of books, 1,000 chunks each.")] = 12,
    json_: JsonOption = False,
) -> None:
    """Build one library with each executor, by one process and by two, and say how many books an hour that is.

    \b
    Examples:
      python -m tools bench spread
      python -m tools bench spread --books 6 --json
    """
    with progress_bar("spread") as bar:
        from tools.bench.throughput import run_spread

        report = run_spread(books, bar)
    print_report(report, report.lines(), json_=json_)


@app.command("hints")
def bench_hints(
    data: Annotated[Path, typer.Option("--data", help="Folder with folders of books.", show_default=False)],
    split: Annotated[str, typer.Option("--split", help="Split of the questions, as in the file names.")] = "open",
    home: HomeOption = DEFAULT_HOME,
    json_: JsonOption = False,
) -> None:
    """Compare hints at categories with none and with a filter: what a right and a wrong one keep out and lose.

    All books are searched together, and each is a category.

    \b
    Example:
      python -m tools bench hints --data ROOT
    """
    with progress_bar("hints") as bar:
        from tools.bench.hints import read_shelf, run_hints

        folder, embedder = benchmarks_of(home)
        curve = run_hints(folder, read_shelf(data, split), embedder, bar)
    print_report(curve, curve.lines(), json_=json_)


@app.command("conditions")
def bench_conditions(
    data: Annotated[Path, typer.Option("--data", help="Folder of documents and questions.", show_default=False)],
    today: Annotated[
        datetime, typer.Option("--today", formats=["%Y-%m-%d"], help="The date from which `last month` is counted.")
    ],
    split: Annotated[str, typer.Option("--split", help="Split of the questions, as in the file names.")] = "open",
    home: HomeOption = DEFAULT_HOME,
    json_: JsonOption = False,
) -> None:
    """Judge how questions that state conditions are read, and time them: one at a time, and 50 at once.

    \b
    Example:
      python -m tools bench conditions --data ROOT/self-query --today 2026-08-22
    """
    with progress_bar("conditions") as bar:
        from tools.bench.conditions import run_conditions
        from tools.corpora.documents import read_documents

        (corpus,) = read_documents("self-query", data, split)
        folder, embedder = benchmarks_of(home)
        report = run_conditions(folder, corpus, today.date(), embedder, bar)
    print_report(report, report.lines(), json_=json_)


@app.command("answers")
def bench_answers(
    data: Annotated[Path, typer.Option("--data", help="Folder with folders of books.", show_default=False)],
    split: Annotated[str, typer.Option("--split", help="Split of the questions, as in the file names.")] = "open",
    home: HomeOption = DEFAULT_HOME,
    json_: JsonOption = False,
) -> None:
    """Put answers that are read beside those that people wrote, and count what is refused.

    \b
    Example:
      python -m tools bench answers --data ROOT
    """
    with progress_bar("answers") as bar:
        from tools.bench.answers import run_answers

        folder, embedder = benchmarks_of(home)
        report = run_answers(folder, data, split, embedder, bar)
    print_report(report, report.lines(), json_=json_)


PAGE = Path("docs") / "results" / "search.md"


@app.command("ablation")
def bench_ablation(
    data: Annotated[Path, typer.Option("--data", help="Folder with a folder for each set.", show_default=False)],
    split: Annotated[
        str, typer.Option("--split", help="Split of the questions; sets without it are left out.")
    ] = "open",
    page: Annotated[Path, typer.Option("--page", help="Page to write.")] = PAGE,
    home: HomeOption = DEFAULT_HOME,
    json_: JsonOption = False,
) -> None:
    """Compare strategies that differ in one thing, in pairs, and write the page that says what is kept and why.

    \b
    Example:
      python -m tools bench ablation --data ROOT
    """
    from tools.bench.ablation import ablation_page, run_ablation
    from tools.corpora.sets import benchmarks_under

    benchmarks = benchmarks_under(data, split)
    for sentence in benchmarks.left_out:
        err.print(f"left out: {sentence}")
    with progress_bar("ablation") as bar:
        folder, embedder = benchmarks_of(home)
        ablation = run_ablation(folder, benchmarks.corpora, split, embedder, bar)
    page.parent.mkdir(parents=True, exist_ok=True)
    page.write_text(ablation_page(ablation), "utf-8")
    if json_:
        print_json(asdict(ablation))
        return
    out.print(ablation_page(ablation))


@app.command("load")
def bench_load(
    clients: Annotated[int, typer.Option("--clients", min=1, help="Number of concurrent clients.")] = 50,
    seconds: Annotated[float, typer.Option("--seconds", min=1, help="Seconds per server.")] = 120,
    promotions: Annotated[
        int, typer.Option("--promotions", min=0, help="Number of indexes that go live meanwhile.")
    ] = 3,
    processes: Annotated[
        str, typer.Option("--processes", help="Processes of each server, one server after the other.")
    ] = "1,2",
    searches: Annotated[
        float, typer.Option("--searches", min=0, max=1, help="Share of searches; the others are streamed answers.")
    ] = 0.8,
    seed: Annotated[int, typer.Option("--seed", help="Seed of what the clients ask.")] = 0,
    json_: JsonOption = False,
    home: HomeOption = DEFAULT_HOME,
) -> None:
    """Ask a real server over a copy of the live index with many clients.

    Its questions are those of the home. Status 1 if any request was not answered.

    \b
    Examples:
      querymust quickstart && python -m tools bench load
      python -m tools bench load --clients 8 --seconds 30 --promotions 0 --processes 1 --searches 1 --json
    """
    with progress_bar("load") as bar:
        from retrieval.home import Home
        from tools.bench.load import Load, run_load

        report = run_load(Home.at(home), Load(clients, seconds, promotions, searches, seed), _numbers(processes), bar)
    print_report(report, report.lines(), json_=json_)
    if not report.sound:
        raise typer.Exit(1)


def _numbers(text: str) -> list[int]:
    if not all(part.strip().isdecimal() and int(part) > 0 for part in text.split(",")):
        raise typer.BadParameter(f"{text!r} is not a list of numbers such as 1,2", param_hint="--processes")
    return [int(part) for part in text.split(",")]
