"""`querymust fit`: the evidence weights and the trees, from question sets."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from pipeline.commands.options import DEFAULT_HOME, HomeOption, JsonOption
from pipeline.console.output import out, print_json, progress_bar


class What(StrEnum):
    """What is fitted."""

    trees = "trees"
    weights = "weights"


def fit(
    what: Annotated[What, typer.Argument(help="trees: of the second look; weights: of the first.")],
    data: Annotated[Path, typer.Option("--data", help="Folder with a folder for each set.", show_default=False)],
    split: Annotated[str, typer.Option("--split", help="Which questions; sets without them are left out.")] = "open",
    seed: Annotated[int, typer.Option("--seed", help="Of the fitting's random choices.")] = 0,
    write: Annotated[
        bool, typer.Option("--write", help="Ship them, and write docs/trees.md or docs/weights.md.")
    ] = False,
    home: HomeOption = DEFAULT_HOME,
    json_: JsonOption = False,
) -> None:
    """Fit `default` on question sets, and score each set by what was fitted without it.

    \b
    Examples:
      querymust fit trees --data ROOT
      querymust fit weights --data ROOT --write
    """
    with progress_bar("fit") as bar:
        bar("starting", 0, 1)
        from pipeline.bench.fitting import fit_weights
        from pipeline.bench.learning import learn_trees
        from retrieval.index.embedding.embedders import load_embedder
        from retrieval.settings import Settings

        root = home.expanduser().resolve()
        embedder = load_embedder(Settings.read(root).embedder)
        fitted = learn_trees if what is What.trees else fit_weights
        report = fitted(root / "benchmarks", data, split, embedder, seed, bar)
    if write:
        report.write(Path("docs"))
    if json_:
        print_json(report.to_json())
        return
    out.print(report.page(), markup=False)
