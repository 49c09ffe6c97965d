"""`querymust bench`: strategies scored on published question sets, and the engine timed."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from pipeline.commands.options import DEFAULT_HOME, HomeOption, JsonOption
from pipeline.console import out, print_json, progress_bar

if TYPE_CHECKING:
    from pipeline.bench_run import BenchmarkRun

app = typer.Typer(help="Score published question sets; time the engine.", no_args_is_help=True, rich_markup_mode=None)

DataOption = Annotated[Path, typer.Option("--data", help="Folder of the set.", show_default=False)]
SplitOption = Annotated[
    str, typer.Option("--split", help="Which questions, as the files are named.", show_default=False)
]
StrategiesOption = Annotated[
    list[str] | None, typer.Option("--strategy", help="May be given again; all if not. `default` is what ships.")
]
SETS = {
    "ttrpg": "Rulebooks with look-ups in tables: DIR/<book>/ and DIR/<book>.<split>.jsonl.",
    "wikisql-rows": "Rows of Wikipedia tables named by their cells: DIR/<split>.tables.jsonl.gz and .queries.jsonl.gz.",
    "wtq-rows": "Rows of tables, also superlatives and neighbours, in the files of wikisql-rows.",
    "fetaqa-rows": "Several rows for a question, in the files of wikisql-rows.",
    "passages": "Judged passages: DIR/<collection>.corpus.jsonl.gz and DIR/<collection>.<split>.jsonl.gz.",
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


def run_set(name: str, data: Path, split: str, strategies: list[str], home: Path) -> BenchmarkRun:
    """Read, index and score one set, with a progress bar."""
    with progress_bar(name) as bar:
        bar("starting", 0, 1)
        from evals.benchmarks.sets import read_benchmark
        from pipeline.bench_run import run_benchmark
        from retrieval.index.embedders import load_embedder
        from retrieval.search.strategies import STRATEGIES, strategy
        from retrieval.settings import Settings

        root = home.expanduser().resolve()
        chosen = [strategy(each) for each in dict.fromkeys(strategies or STRATEGIES)]
        corpora = read_benchmark(name, data, split)
        embedder = load_embedder(Settings.read(root).embedder)
        return run_benchmark(root / "benchmarks", name, split, corpora, chosen, embedder, bar)


def print_run(run: BenchmarkRun) -> None:
    """Tables for a person: all books and kinds together, then each."""
    from evals.report import breakdown, leaderboard

    out.print(leaderboard(run.aggregates), markup=False)
    out.print(breakdown(run.aggregates, ("hit@1", "hit@10", "mrr", "noise@15")), markup=False)
    for unscored in run.unscored:
        out.print(f"not scored: {unscored.question_id}: {unscored.reason}", markup=False)
    for note in run.indexes:
        out.print(f"index {note.snapshot}: {note.corpus}, {note.n_chunks} chunks, {note.n_guarded} guarded")
    out.print(f"{run.seconds:.0f} s")
