"""The commands of `python -m tools`."""

from pathlib import Path
from typing import Annotated

import typer

from pipeline.cli import run_app
from pipeline.commands.options import DEFAULT_HOME, HomeOption
from pipeline.console.output import out, progress_bar
from tools import bench_commands
from tools.benchmark.command import benchmark
from tools.fit_command import fit

app = typer.Typer(
    name="python -m tools",
    help="Benchmarks and checks for those who work on querymust.",
    no_args_is_help=True,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    add_completion=False,
)
baseline = typer.Typer(
    help="Record rankings and answers before a change, and compare them after it.", no_args_is_help=True
)
app.add_typer(baseline, name="baseline")
app.add_typer(bench_commands.app, name="bench")
app.command("benchmark")(benchmark)
app.command("fit")(fit)


@app.command("libraries")
def libraries(
    clones: Annotated[
        Path, typer.Argument(help="Folder with the git repositories, as OWNER/NAME.", exists=True, file_okay=False)
    ],
    data: Annotated[Path, typer.Option("--data", help="Folder of sets; the libraries become its set `public`.")],
) -> None:
    """Write public libraries with our questions to them; the shipped models are trained on all but three of them.

    What is not cloned is named with the command that clones it.

    \b
    Example:
      python -m tools libraries clones --data ROOT
      python -m tools fit trees --data ROOT
    """
    from tools.corpora.public_libraries import SET, public_libraries, write_public_set

    missing = write_public_set(clones, data)
    for sentence in missing:
        out.print(sentence, soft_wrap=True)
    total = len(public_libraries())
    out.print(f"{total - len(missing)} of {total} libraries are in {data / SET}")


@baseline.command("write")
def write(
    folder: Annotated[Path, typer.Argument(help="Folder for the files.")],
    strategy: Annotated[
        list[str] | None, typer.Option("--strategy", help="Can be repeated; default: all that use no model.")
    ] = None,
    data: Annotated[
        Path | None, typer.Option("--data", help="Folder of sets of books, which are asked with `default`.")
    ] = None,
    home: HomeOption = DEFAULT_HOME,
) -> None:
    """Write chunks, rankings with scores, and answers of the sample, the shelf and the skirmish rules.

    \b
    Examples:
      python -m tools baseline write before
      python -m tools baseline write after --data ROOT
    """
    with progress_bar("baseline") as bar:
        from retrieval.index.embedding.embedders import load_embedder
        from retrieval.settings import Settings
        from tools.baseline import local_strategies, write_baseline

        root = home.expanduser().resolve()
        embedder = load_embedder(Settings.read(root).embedder)
        write_baseline(folder, root / "benchmarks", embedder, strategy or local_strategies(), data, bar)


@baseline.command("compare")
def compare(
    before: Annotated[
        Path, typer.Argument(help="Folder that was written before the change.", exists=True, file_okay=False)
    ],
    after: Annotated[Path, typer.Argument(help="Folder that was written after it.", exists=True, file_okay=False)],
) -> None:
    """Say which files differ; status 1 if one does.

    \b
    Example:
      python -m tools baseline compare before after
    """
    from tools.baseline import differences

    result = list(differences(before, after))
    for sentence in result:
        out.print(sentence)
    if result:
        raise typer.Exit(1)
    out.print("equal")


def main() -> None:
    """Run `python -m tools`."""
    run_app(app)
