"""Options that several commands share, and how a home is opened for asking."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from collections.abc import Sequence

    from retrieval.search.retriever import Retriever

HomeOption = Annotated[
    Path,
    typer.Option("--home", envvar="QUERYMUST_HOME", help="Folder that holds everything built.", file_okay=False),
]
QuestionsOption = Annotated[
    list[Path] | None,
    typer.Option("--questions", help="JSONL file of questions with gold; may be given again."),
]
JsonOption = Annotated[bool, typer.Option("--json", help="Print one JSON document for another program.")]
StrategyOption = Annotated[str, typer.Option("--strategy", help="Named way of searching; see docs/cli.md.")]

DEFAULT_HOME = Path(".querymust")


def existing(paths: Sequence[Path] | None) -> tuple[Path, ...]:
    """The paths, made absolute.

    Raises:
        FileNotFoundError: one is not there.
    """
    found = tuple(path.expanduser().resolve() for path in paths or ())
    for path in found:
        if not path.is_file():
            raise FileNotFoundError(2, "no such file", str(path))
    return found


def live_retriever(root: Path) -> Retriever:
    """A retriever over the live snapshot of the home at `root`, with the embedder that made its vectors.

    Raises:
        IndexMissingError: nothing is live there.
    """
    from retrieval.search.retriever import Retriever

    return Retriever.open(root.expanduser().resolve())
