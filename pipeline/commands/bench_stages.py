"""`querymust bench first-stage` and `bench spread`: what engines and processes beside our own give, and how fast."""

from __future__ import annotations

from typing import Annotated

import typer

from pipeline.commands.options import DEFAULT_HOME, HomeOption, JsonOption, QuestionsOption, existing
from pipeline.console.output import print_report, progress_bar


def bench_first_stage(
    home: HomeOption = DEFAULT_HOME, questions: QuestionsOption = None, json_: JsonOption = False
) -> None:
    """Ask questions through the store that the settings name, and through our own files; count the same hits.

    \b
    Example:
      querymust bench first-stage --questions questions.jsonl
    """
    from evals.questions.questions import load_questions
    from pipeline.bench.first_stage import compare_stages
    from pipeline.commands.options import remembered_questions
    from retrieval.home import Home

    opened = Home.at(home)
    files = existing(questions) or remembered_questions(opened)
    asked = [question.query for path in files for question in load_questions(path)]
    with progress_bar("first stage") as bar:
        report = compare_stages(opened.root, asked, bar)
    print_report(report, report.lines(), json_=json_)


def bench_spread(
    books: Annotated[int, typer.Option("--books", min=2, help="Of the synthetic library, 1,000 chunks each.")] = 12,
    json_: JsonOption = False,
) -> None:
    """Build one library with each executor, by one process and by two, and say how many books an hour that is.

    \b
    Examples:
      querymust bench spread
      querymust bench spread --books 6 --json
    """
    with progress_bar("spread") as bar:
        from pipeline.runs.throughput import run_spread

        report = run_spread(books, bar)
    print_report(report, report.lines(), json_=json_)
