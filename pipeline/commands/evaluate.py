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
from pipeline.console.output import err, out, print_error, print_json, progress_bar
from pipeline.console.presentation import print_leaderboard

if TYPE_CHECKING:
    from evals.evaluation import Evaluation


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
    scores = _evaluation(home, existing(questions), strategy or [])
    if trec is not None and scores.experiment is not None:
        from evals.trec import write_rows

        for path in write_rows(trec.expanduser(), scores.experiment.rows):
            err.print(f"wrote {path}", markup=False)
    if json_:
        print_json(evaluation_record(scores))
        return
    print_leaderboard(scores.headline())
    out.print(f"{scores.n_questions} questions, snapshot {scores.snapshot}")
    for sentence in scores.stale:
        print_error(f"not scored, its gold is stale: {sentence}")


def evaluation_record(scores: Evaluation) -> dict[str, object]:
    """An evaluation as JSON values."""
    return {
        "snapshot": scores.snapshot,
        "questions": scores.n_questions,
        "stale": list(scores.stale),
        "strategies": scores.headline(),
    }


def _evaluation(root: Path, files: tuple[Path, ...], names: list[str]) -> Evaluation:
    from evals.evaluation import evaluate
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
        return evaluate(
            retriever.snapshot,
            retriever.embedder,
            files,
            chosen,
            home.evaluations,
            lambda step: bar(f"{step.set} [{step.strategy}]", step.done, step.total),
        )
