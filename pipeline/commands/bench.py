"""`querymust bench`: strategies scored on published question sets, and the engine timed."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from pipeline.commands.options import DEFAULT_HOME, HomeOption, JsonOption
from pipeline.console.output import err, out, print_json, progress_bar

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

    from pipeline.bench.run import BenchmarkRun

app = typer.Typer(help="Score published question sets; time the engine.", no_args_is_help=True, rich_markup_mode=None)

DataOption = Annotated[Path, typer.Option("--data", help="Folder of the set.", show_default=False)]
SplitOption = Annotated[
    str, typer.Option("--split", help="Which questions, as the files are named.", show_default=False)
]
StrategiesOption = Annotated[
    list[str] | None, typer.Option("--strategy", help="May be given again; all if not. `default` is what ships.")
]
DOCS = Path("docs")
SETS = {
    "ttrpg": "Rulebooks with look-ups in tables: DIR/<book>/ and DIR/<book>.<split>.jsonl.",
    "wikisql-rows": "Rows of Wikipedia tables named by their cells: DIR/<split>.tables.jsonl.gz and .queries.jsonl.gz.",
    "wtq-rows": "Rows of tables, also superlatives and neighbours, in the files of wikisql-rows.",
    "fetaqa-rows": "Several rows for a question, in the files of wikisql-rows.",
    "passages": "Judged passages: DIR/<collection>.corpus.jsonl.gz and DIR/<collection>.<split>.jsonl.gz.",
    "generated": "Questions written by templates over a folder of books: DIR/<book>/, --split seed0.",
    "self-query": "Documents with metadata: DIR/docs.jsonl.gz and DIR/<split>.jsonl.",
}


def _command(name: str) -> Callable[..., None]:
    def bench_set(
        data: DataOption,
        split: SplitOption,
        strategy: StrategiesOption = None,
        home: HomeOption = DEFAULT_HOME,
        json_: JsonOption = False,
    ) -> None:
        run = run_set(name, data, split, strategy or [], home)
        if json_:
            from evals.report import flat_records

            print_json(flat_records(run.aggregates))
            return
        print_run(run)

    return bench_set


for _name, _about in SETS.items():
    _help = f"{_about}\n\n\b\nExample:\n  querymust bench {_name} --data DIR --split open --strategy default"
    app.command(_name, help=_help)(_command(_name))


@app.command("all")
def bench_all(
    data: Annotated[Path, typer.Option("--data", help="Folder with a folder for each set.", show_default=False)],
    split: Annotated[str, typer.Option("--split", help="Which questions; sets without them are left out.")] = "open",
    strategy: StrategiesOption = None,
    docs: Annotated[Path, typer.Option("--docs", help="Folder of results.md; not written with --strategy.")] = DOCS,
    home: HomeOption = DEFAULT_HOME,
    json_: JsonOption = False,
) -> None:
    """Score every set under --data, and write the page of results with its data.

    \b
    Examples:
      querymust bench all --data ROOT
      querymust bench all --data ROOT --strategy default --json
    """
    from evals.report import flat_records

    runs = [run_set(name, data / name, split, strategy or [], home) for name in _sets_under(data, split)]
    if not strategy:
        from pipeline.bench.results_page import Results

        Results.of(runs).write(docs)
    if json_:
        print_json(flat_records(each for run in runs for each in run.aggregates))
        return
    for run in runs:
        print_run(run)


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
    _print_report(report, report.lines(), json_=json_)


@app.command("scale")
def bench_scale(
    chunks: Annotated[int, typer.Option("--chunks", min=100, help="How many; a multiple of 100.")] = 100_000,
    keep: Annotated[
        Path | None,
        typer.Option("--keep", help="Folder for the index, which a second run takes up again.", file_okay=False),
    ] = None,
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
        if chunks % 100:
            raise typer.BadParameter(f"{chunks} is not a multiple of 100", param_hint="--chunks")
        report = run_scale(chunks, home=keep.expanduser().resolve() if keep else None, tell=bar)
    _print_report(report, report.lines(), json_=json_)


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
    _print_report(report, report.lines(), json_=json_)


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
    _print_report(report, report.lines(), json_=json_)


def run_set(name: str, data: Path, split: str, strategies: list[str], home: Path) -> BenchmarkRun:
    """Read, index and score one set, with a progress bar."""
    with progress_bar(name) as bar:
        bar("starting", 0, 1)
        from evals.benchmarks.sets import read_benchmark
        from pipeline.bench.run import run_benchmark
        from retrieval.index.embedding.embedders import load_embedder
        from retrieval.search.strategies import STRATEGIES, strategy
        from retrieval.settings import Settings

        root = home.expanduser().resolve()
        chosen = [strategy(each) for each in dict.fromkeys(strategies or STRATEGIES)]
        corpora = read_benchmark(name, data, split)
        embedder = load_embedder(Settings.read(root).embedder)
        return run_benchmark(root / "benchmarks", name, split, corpora, chosen, embedder, bar)


def print_run(run: BenchmarkRun) -> None:
    """Say it in tables for a person: all books and kinds together, then each."""
    from evals.report import breakdown, leaderboard

    out.print(leaderboard(run.aggregates), markup=False)
    out.print(breakdown(run.aggregates, ("hit@1", "hit@10", "mrr", "noise@15")), markup=False)
    for unscored in run.unscored:
        out.print(f"not scored: {unscored.question_id}: {unscored.reason}", markup=False)
    for note in run.indexes:
        out.print(f"index {note.snapshot}: {note.corpus}, {note.n_chunks} chunks, {note.n_guarded} guarded")
    out.print(f"{run.seconds:.0f} s")


def _sets_under(data: Path, split: str) -> list[str]:
    """The sets that have a folder and this split; says which are left out.

    Raises:
        BenchmarkDataError: there is none.
    """
    from evals.benchmarks.data_files import BenchmarkDataError, benchmark_folder
    from evals.benchmarks.sets import read_benchmark

    root = benchmark_folder(data)
    found = []
    for name in SETS:
        try:
            read_benchmark(name, root / name, split)
        except BenchmarkDataError as error:
            err.print(f"left out: {name}: {error}", markup=False)
        else:
            found.append(name)
    if not found:
        raise BenchmarkDataError(f"no set with the split {split!r} is under {root}; sets: {', '.join(SETS)}")
    return found


def _print_report(report: DataclassInstance, lines: Iterable[str], *, json_: bool) -> None:
    if json_:
        print_json(asdict(report))
        return
    for line in lines:
        out.print(line, markup=False)
