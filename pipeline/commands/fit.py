"""`querymust fit`: the evidence weights, the trees and what relevance means, from question sets."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from pipeline.commands.options import DEFAULT_HOME, HomeOption, JsonOption
from pipeline.console.output import out, print_json, progress_bar

if TYPE_CHECKING:
    from collections.abc import Callable


class What(StrEnum):
    """What is fitted."""

    relevance = "relevance"
    trees = "trees"
    weights = "weights"


def fit(
    what: Annotated[
        What, typer.Argument(help="trees: of the second look; weights: of the first; relevance: what a score means.")
    ],
    data: Annotated[Path, typer.Option("--data", help="Folder with a folder for each set.", show_default=False)],
    split: Annotated[str, typer.Option("--split", help="Which questions; sets without them are left out.")] = "open",
    seed: Annotated[int, typer.Option("--seed", help="Of the fitting's random choices.")] = 0,
    write: Annotated[bool, typer.Option("--write", help="Ship them, and write their page under docs.")] = False,
    home: HomeOption = DEFAULT_HOME,
    json_: JsonOption = False,
) -> None:
    """Fit `default` on question sets, and score each set by what was fitted without it.

    \b
    Examples:
      querymust fit trees --data ROOT
      querymust fit weights --data ROOT --write
      querymust fit relevance --data ROOT
    """
    with progress_bar("fit") as bar:
        bar("starting", 0, 1)
        from pipeline.bench.fitting import WeightsReport, fit_weights
        from pipeline.bench.learning import TreesReport, learn_trees
        from pipeline.bench.relevance import RelevanceReport, fit_relevance
        from retrieval.index.embedding.embedders import load_embedder
        from retrieval.settings import Settings

        root = home.expanduser().resolve()
        embedder = load_embedder(Settings.read(root).embedder)
        fits: dict[What, Callable[..., TreesReport | WeightsReport | RelevanceReport]] = {
            What.trees: learn_trees,
            What.weights: fit_weights,
            What.relevance: fit_relevance,
        }
        report = fits[what](root / "benchmarks", data, split, embedder, seed, bar)
    if write:
        report.write(Path("docs"))
    if json_:
        print_json(report.to_json())
        return
    out.print(report.page(), markup=False)
