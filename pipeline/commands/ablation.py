"""`querymust bench ablation`: what each part of the search adds."""

from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from pipeline.commands.options import DEFAULT_HOME, HomeOption, JsonOption
from pipeline.console.output import err, out, print_json, progress_bar

PAGE = Path("docs") / "results" / "search.md"


def bench_ablation(
    data: Annotated[Path, typer.Option("--data", help="Folder with a folder for each set.", show_default=False)],
    split: Annotated[str, typer.Option("--split", help="Which questions; sets without them are left out.")] = "open",
    page: Annotated[Path, typer.Option("--page", help="The page that is written.")] = PAGE,
    home: HomeOption = DEFAULT_HOME,
    json_: JsonOption = False,
) -> None:
    """Compare strategies that differ in one thing, in pairs, and write the page that says what is kept and why.

    \b
    Example:
      querymust bench ablation --data ROOT
    """
    from evals.benchmarks.sets import benchmarks_under
    from pipeline.bench.ablation.page import ablation_page
    from pipeline.bench.ablation.run import run_ablation
    from retrieval.index.embedding.embedders import load_embedder
    from retrieval.settings import Settings

    root = home.expanduser().resolve()
    found = benchmarks_under(data, split)
    for sentence in found.left_out:
        err.print(f"left out: {sentence}", markup=False)
    with progress_bar("ablation") as bar:
        ablation = run_ablation(
            root / "benchmarks", found.corpora, split, load_embedder(Settings.read(root).embedder), bar
        )
    page.parent.mkdir(parents=True, exist_ok=True)
    page.write_text(ablation_page(ablation), "utf-8")
    if json_:
        print_json(asdict(ablation))
        return
    out.print(ablation_page(ablation), markup=False)
