"""`python -m tools bench SET`, `books`, `generated` and `all`: strategies scored on question sets."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from pipeline.commands.options import DEFAULT_HOME, HomeOption, JsonOption
from pipeline.console.output import err, out, print_json, progress_bar

if TYPE_CHECKING:
    from retrieval.strategy import Strategy
    from retrieval.types import Embedder
    from tools.bench.run import BenchmarkRun, Instead
    from tools.corpora.books import Corpus

DataOption = Annotated[Path, typer.Option("--data", help="Folder of the set.", show_default=False)]
BooksOption = Annotated[
    list[Path], typer.Option("--data", help="Folder of books; can be repeated.", show_default=False)
]
RootOption = Annotated[Path, typer.Option("--data", help="Folder with a folder for each set.", show_default=False)]
SplitOption = Annotated[
    str, typer.Option("--split", help="Split of the questions, as in the file names.", show_default=False)
]
StrategiesOption = Annotated[
    list[str] | None,
    typer.Option("--strategy", help="Can be repeated; default: all. `fts5` is the reference."),
]
DOCS = Path("docs") / "results"
BOOK_METRICS = ("hit@1", "hit@5", "hit@10", "mrr")
SETS = {
    "wikisql-rows": "Rows of Wikipedia tables named by their cells: DIR/<split>.tables.jsonl.gz and .queries.jsonl.gz.",
    "wtq-rows": "Rows of tables, also superlatives and neighbours, in the files of wikisql-rows.",
    "fetaqa-rows": "Several rows for a question, in the files of wikisql-rows.",
    "passages": "Judged passages: DIR/<collection>.corpus.jsonl.gz and DIR/<collection>.<split>.jsonl.gz.",
    "self-query": "Documents with metadata: DIR/docs.jsonl.gz and DIR/<split>.jsonl.",
}


def bench_books(
    data: BooksOption,
    split: Annotated[str, typer.Option("--split", help="Split of the questions, as in the file names.")] = "open",
    strategy: StrategiesOption = None,
    leave_out: Annotated[
        Path | None,
        typer.Option(
            "--leave-out",
            help="Folder with a folder for each set: rank each book by trees that were learned on these without it.",
            show_default=False,
        ),
    ] = None,
    home: HomeOption = DEFAULT_HOME,
    json_: JsonOption = False,
) -> None:
    """Score look-ups and rules in books: any folder of DIR/<book>/ and DIR/<book>.<split>.jsonl is a set.

    \b
    Examples:
      python -m tools bench books --data rulebooks
      python -m tools bench books --data rulebooks --data manuals --strategy default --strategy bm25
      python -m tools bench books --data ROOT/manuals --leave-out ROOT
    """
    from tools.corpora.books import read_books

    names = [folder.expanduser().resolve().name for folder in data]
    if len(set(names)) < len(names):
        raise typer.BadParameter(f"two folders have one name: {', '.join(names)}", param_hint="--data")
    books = [corpus.name for folder in data for corpus in read_books(folder, split)] if leave_out else []
    instead = _without_say(books, leave_out, split, home) if leave_out else None
    runs = [
        run_set(name, split, partial(read_books, folder, split), strategy or [], home, instead)
        for name, folder in zip(names, data, strict=True)
    ]
    _tell(runs, strategy or [], json_=json_)


def bench_generated(
    data: BooksOption,
    split: Annotated[str, typer.Option("--split", help="The seed of the questions.")] = "seed0",
    strategy: StrategiesOption = None,
    home: HomeOption = DEFAULT_HOME,
    json_: JsonOption = False,
) -> None:
    """Score questions that templates write over folders of books, all books together.

    \b
    Examples:
      python -m tools bench generated --data rulebooks --data manuals
      python -m tools bench generated --data rulebooks --split seed7 --strategy default
    """
    from tools.corpora.books import GENERATED_SET, read_generated

    run = run_set(GENERATED_SET, split, lambda: read_generated(data, split), strategy or [], home)
    _tell([run], strategy or [], json_=json_)


def bench_all(
    data: RootOption,
    split: Annotated[
        str, typer.Option("--split", help="Split of the questions; sets without it are left out.")
    ] = "open",
    strategy: StrategiesOption = None,
    docs: Annotated[Path, typer.Option("--docs", help="Folder of results.md; not written with --strategy.")] = DOCS,
    shipped: Annotated[
        bool, typer.Option("--shipped", help="Rank by the trees that ship, which were learned on these sets.")
    ] = False,
    home: HomeOption = DEFAULT_HOME,
    json_: JsonOption = False,
) -> None:
    """Score every set under --data, folders of books and all others, and write the page of results with its data.

    Each book or set is ranked by trees that were learned on the others; that needs the extra `fit`.

    \b
    Examples:
      python -m tools bench all --data ROOT
      python -m tools bench all --data ROOT --strategy default --json
    """
    from tools.corpora.sets import benchmarks_under

    benchmarks = benchmarks_under(data, split)
    for sentence in benchmarks.left_out:
        err.print(f"left out: {sentence}")
    every = [corpus.name for corpora in benchmarks.corpora.values() for corpus in corpora]
    instead = None if shipped else _without_say(every, data, split, home)
    runs = [
        run_set(name, split, partial(benchmarks.corpora.__getitem__, name), strategy or [], home, instead)
        for name in benchmarks.corpora
    ]
    if not strategy:
        from tools.bench.results_page import Results

        Results.of(runs, left_out=not shipped).write(docs)
    _tell(runs, strategy or [], json_=json_)


def _command(name: str) -> Callable[..., None]:
    def bench_set(
        data: DataOption,
        split: SplitOption,
        strategy: StrategiesOption = None,
        home: HomeOption = DEFAULT_HOME,
        json_: JsonOption = False,
    ) -> None:
        from tools.corpora.sets import read_benchmark

        run = run_set(name, split, lambda: read_benchmark(name, data, split), strategy or [], home)
        _tell([run], strategy or [], json_=json_)

    return bench_set


def add_sets(app: typer.Typer) -> None:
    """Give `python -m tools bench` a command for each set."""
    app.command("books")(bench_books)
    for name, about in SETS.items():
        example = f"\n\n\b\nExample:\n  python -m tools bench {name} --data DIR --split open --strategy default"
        app.command(name, help=about + example)(_command(name))
    app.command("generated")(bench_generated)
    app.command("all")(bench_all)


def run_set(
    name: str,
    split: str,
    read: Callable[[], tuple[Corpus, ...]],
    strategies: list[str],
    home: Path,
    instead: Instead | None = None,
) -> BenchmarkRun:
    """Read, index and score one set, with a progress bar.

    Args:
        name: of the set.
        split: which questions.
        read: gives what is searched.
        strategies: names; none is all.
        home: under it the indexes are kept.
        instead: what a strategy is searched with in a corpus, in its place: other weights, say. See `run_benchmark`.
    """
    with progress_bar(name) as bar:
        from tools.bench.run import contestants, run_benchmark

        chosen = contestants(strategies)
        corpora = read()
        folder, embedder = benchmarks_of(home)
        return run_benchmark(folder, name, split, corpora, chosen, embedder, bar, instead)


def benchmarks_of(home: Path) -> tuple[Path, Embedder]:
    """The folder of a home's benchmarks, and the embedder that it names."""
    from retrieval.index.embedding.embedders import load_embedder
    from retrieval.settings import Settings

    root = home.expanduser().resolve()
    return root / "benchmarks", load_embedder(Settings.read(root).embedder)


def _without_say(names: list[str], data: Path, split: str, home: Path) -> Instead:
    """Each of these books and sets is ranked by trees that it had no say in."""
    with progress_bar("learning") as bar:
        from tools.fit.trees import trees_without

        folder, embedder = benchmarks_of(home)
        files = trees_without(names, folder, data, split, embedder, tell=bar)

    def instead(corpus: Corpus, strategy: Strategy) -> Strategy:
        return replace(strategy, trees=str(files[corpus.name])) if strategy.reranks else strategy

    return instead


def _tell(runs: list[BenchmarkRun], strategies: list[str], *, json_: bool) -> None:
    from evals.aggregates import flat_records
    from tools.bench.results_page import cells_of_books
    from tools.bench.tables import cell_table
    from tools.corpora.fts5 import REFERENCE, why_missing

    if not strategies and (reason := why_missing()):
        err.print(f"left out: {REFERENCE.name}: {reason}")
    if json_:
        print_json(flat_records(aggregate for run in runs for aggregate in run.aggregates))
        return
    for run in runs:
        _print_run(run, strategies)
    if cells := cells_of_books(runs):
        out.print(f"\n`default` against the best other, p of a paired randomisation test\n\n{cell_table(cells)}")


def _print_run(run: BenchmarkRun, strategies: list[str]) -> None:
    """Say it in tables for a person: every strategy over all questions, then by book and kind."""
    from tools.bench.tables import breakdown, leaderboard

    if run.of_books:
        shown = {*(strategies or ["default"]), "*"}
        chosen = [aggregate for aggregate in run.aggregates if aggregate.strategy in shown]
        out.print(leaderboard(run.aggregates, BOOK_METRICS))
        out.print(breakdown(chosen, BOOK_METRICS))
    else:
        out.print(leaderboard(run.aggregates))
        out.print(breakdown(run.aggregates, ("hit@1", "hit@10", "mrr", "noise@15")))
    for unscored in run.unscored:
        out.print(f"not scored: {unscored.question_id}: {unscored.reason}")
    for note in run.indexes:
        out.print(f"index {note.snapshot}: {note.corpus}, {note.n_chunks} chunks, {note.n_guarded} guarded")
    out.print(f"{run.seconds:.0f} s")
