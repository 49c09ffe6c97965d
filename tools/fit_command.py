"""`python -m tools fit`: the trees, what questions ask for, what relevance means and which cells answer."""

from __future__ import annotations

from dataclasses import asdict
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from pipeline.commands.options import DEFAULT_HOME, HomeOption, JsonOption
from pipeline.console.output import err, out, print_error, print_json, progress_bar

if TYPE_CHECKING:
    from collections.abc import Callable

    from tools.fit.answers import AnswersFitReport
    from tools.fit.cells import CellsReport
    from tools.fit.queries import QueriesReport
    from tools.fit.question_kind import KindsReport
    from tools.fit.relevance import RelevanceReport
    from tools.fit.trees import TreesReport

    Report = AnswersFitReport | CellsReport | KindsReport | QueriesReport | RelevanceReport | TreesReport


class What(StrEnum):
    """What is fitted."""

    answers = "answers"
    cells = "cells"
    kinds = "kinds"
    queries = "queries"
    relevance = "relevance"
    trees = "trees"


def fit(
    what: Annotated[
        What,
        typer.Argument(
            help="queries: the adapter that embeds questions; trees: of the re-ranker; kinds: which words ask for "
            "prose and which for rows; relevance: what a score means; cells: which of a row an answer reads; "
            "answers: which sentence, and when it is stated."
        ),
    ],
    data: Annotated[Path, typer.Option("--data", help="Folder with a folder for each set.", show_default=False)],
    split: Annotated[
        str, typer.Option("--split", help="Split of the questions; sets without it are left out.")
    ] = "open",
    seed: Annotated[int, typer.Option("--seed", help="Seed of the fitting's random choices.")] = 0,
    write: Annotated[
        bool, typer.Option("--write", help="Ship them if the gate lets them, and write their page under docs/results.")
    ] = False,
    force: Annotated[bool, typer.Option("--force", help="With --write: also ship what the gate refuses.")] = False,
    for_home: Annotated[
        bool, typer.Option("--for-home", help="With relevance: keep it in --home, whose next index is built with it.")
    ] = False,
    home: HomeOption = DEFAULT_HOME,
    json_: JsonOption = False,
) -> None:
    """Fit `default` on question sets, and score each set by what was fitted without it.

    What would lose more in a set than the gate lets through is not written; status 1 says so. Relevance, cells and
    answers move no rank.

    \b
    Examples:
      python -m tools fit queries --data ROOT --write
      python -m tools fit trees --data ROOT --write
      python -m tools fit kinds --data ROOT --write
      python -m tools fit relevance --data ROOT
      python -m tools fit cells --data ROOT --write
      python -m tools fit answers --data ROOT --write
    """
    with progress_bar("fit") as bar:
        from retrieval.index.embedding.embedders import load_embedder
        from retrieval.settings import Settings
        from tools.fit.answers import fit_answers
        from tools.fit.cells import fit_cell_choice
        from tools.fit.queries import QueriesReport, fit_queries
        from tools.fit.question_kind import fit_kinds
        from tools.fit.relevance import RelevanceReport, fit_relevance
        from tools.fit.trees import TreesReport, learn_trees

        root = home.expanduser().resolve()
        embedder = load_embedder(Settings.read(root).embedder)
        fits: dict[
            What,
            Callable[..., AnswersFitReport | CellsReport | KindsReport | QueriesReport | RelevanceReport | TreesReport],
        ] = {
            What.answers: fit_answers,
            What.queries: fit_queries,
            What.trees: learn_trees,
            What.relevance: fit_relevance,
            What.cells: fit_cell_choice,
            What.kinds: fit_kinds,
        }
        report = fits[what](root / "benchmarks", data, split, embedder, seed, bar)
    refused = report.refused if isinstance(report, TreesReport) else ()
    if for_home and isinstance(report, RelevanceReport):
        report.calibrations[0].write(root)
    if write and (force or not refused):
        report.write(Path("docs") / "results")
    if json_:
        print_json(report.to_json() if isinstance(report, TreesReport | QueriesReport) else asdict(report))
    else:
        out.print(report.page())
    for sentence in refused:
        print_error(f"the gate refuses it: {sentence}")
    if write and refused and not force:
        err.print("Nothing was written. Look at these questions; --force writes it all the same.")
        raise typer.Exit(1)
