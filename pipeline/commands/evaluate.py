"""`querymust eval`: strategies scored on questions with gold over the live index."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from pipeline.commands.options import (
    DEFAULT_HOME,
    HomeOption,
    JsonOption,
    QuestionsOption,
    existing,
    live_retriever,
    remembered_questions,
)
from pipeline.console import err, out, print_error, print_json, progress_bar
from pipeline.presentation import print_leaderboard

if TYPE_CHECKING:
    from evals.standing import Standing


def evaluate(
    questions: QuestionsOption = None,
    strategy: Annotated[list[str] | None, typer.Option("--strategy", help="May be given again; all if not.")] = None,
    json_: JsonOption = False,
    trec: Annotated[
        Path | None,
        typer.Option("--trec", help="Folder for run and qrels files that trec_eval reads.", file_okay=False),
    ] = None,
    home: HomeOption = DEFAULT_HOME,
) -> None:
    """Score strategies on questions with gold over the live index; without --questions those of the last build.

    \b
    Examples:
      querymust eval
      querymust eval --questions mine.jsonl --strategy dense --strategy prefilter
      querymust eval --json
      querymust eval --strategy default --trec runs
    """
    standing = _standing(home, existing(questions), strategy or [])
    if trec is not None and standing.experiment is not None:
        from evals.trec import write_rows

        for path in write_rows(trec.expanduser(), standing.experiment.rows):
            err.print(f"wrote {path}", markup=False)
    if json_:
        print_json(standing_record(standing))
        return
    print_leaderboard(standing.headline())
    out.print(f"{standing.n_questions} questions, snapshot {standing.snapshot}")
    for sentence in standing.stale:
        print_error(f"not scored, its gold is stale: {sentence}")


def standing_record(standing: Standing) -> dict[str, object]:
    """A standing as JSON values."""
    return {
        "snapshot": standing.snapshot,
        "questions": standing.n_questions,
        "stale": list(standing.stale),
        "strategies": standing.headline(),
    }


def _standing(root: Path, files: tuple[Path, ...], names: list[str]) -> Standing:
    from evals.standing import stand
    from retrieval.errors import RetrievalError
    from retrieval.home import Home
    from retrieval.search.strategies import STRATEGIES, strategy

    home = Home.at(root)
    chosen = [strategy(name) for name in dict.fromkeys(names)] or list(STRATEGIES.values())
    files = files or remembered_questions(home)
    if not files:
        raise RetrievalError(f"{home.root} was built without questions; name some: querymust eval --questions FILE")
    with progress_bar("scoring") as bar:
        retriever = live_retriever(root)
        return stand(
            retriever.snapshot,
            retriever.embedder,
            files,
            chosen,
            home.evaluations,
            lambda step: bar(f"{step.set} [{step.strategy}]", step.done, step.total),
        )
