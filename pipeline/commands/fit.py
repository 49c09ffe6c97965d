"""`querymust fit`: the evidence weights, from question sets."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from pipeline.commands.options import DEFAULT_HOME, HomeOption, JsonOption
from pipeline.console.output import out, print_json, progress_bar


def fit(
    data: Annotated[Path, typer.Option("--data", help="Folder with a folder for each set.", show_default=False)],
    split: Annotated[str, typer.Option("--split", help="Which questions; sets without them are left out.")] = "open",
    seed: Annotated[int, typer.Option("--seed", help="Of the fitting's random choices.")] = 0,
    write: Annotated[bool, typer.Option("--write", help="Ship the weights, and write docs/weights.md.")] = False,
    home: HomeOption = DEFAULT_HOME,
    json_: JsonOption = False,
) -> None:
    """Fit the weights of `default` on question sets, and score each set by weights that were fitted without it.

    \b
    Examples:
      querymust fit --data ROOT
      querymust fit --data ROOT --write
    """
    with progress_bar("fit") as bar:
        bar("starting", 0, 1)
        from pipeline.bench.fitting import fit_weights
        from retrieval.index.embedding.embedders import load_embedder
        from retrieval.settings import Settings

        root = home.expanduser().resolve()
        embedder = load_embedder(Settings.read(root).embedder)
        report = fit_weights(root / "benchmarks", data, split, embedder, seed, bar)
    if write:
        report.write(Path("docs"))
    if json_:
        print_json(asdict(report))
        return
    out.print(report.page(), markup=False)
