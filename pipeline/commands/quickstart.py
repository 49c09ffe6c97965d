"""`querymust quickstart`: all steps on the sample book, from an empty folder to scored answers."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from rich import box
from rich.table import Table
from rich.text import Text

from evals.sample import SAMPLE_LIBRARY, SAMPLE_QUESTIONS
from pipeline.commands.build import run_build, told_when_interrupted
from pipeline.commands.options import DEFAULT_HOME, HomeOption, live_retriever
from pipeline.commands.serve import PORT
from pipeline.console.output import out
from pipeline.console.scores import print_leaderboard

if TYPE_CHECKING:
    from evals.noise import Relatives
    from evals.questions.questions import Question
    from retrieval.home import Home
    from retrieval.search.retriever import Retriever
    from retrieval.types import Hit


def quickstart(home: HomeOption = DEFAULT_HOME) -> None:
    """Build the sample book with Dagster, score it, and ask three questions with the filter off and on.

    A home with the index of other books is not changed.

    \b
    Examples:
      querymust quickstart
      querymust quickstart --home elsewhere
    """
    from evals.leaderboard import Leaderboard

    with told_when_interrupted(home):
        built = _sample_home(home)
        done = run_build(built)
    ask_examples(built.root)
    live = str(done.library["live_index"]["snapshot"])
    print_leaderboard(Leaderboard.read(built.evaluations / live).strategies)
    out.print(f"\n{next_steps(built.root)}")


def next_steps(root: Path) -> str:
    """Return what a user can do with the new home, with one command per line."""
    from retrieval.home import Home

    elsewhere = Home.at(root).option
    return (
        f'Ask it yourself:  querymust search{elsewhere} "What does a 7th level cleric need to roll to hit AC 6?"\n'
        f"In a browser:     querymust serve{elsewhere}    (then http://127.0.0.1:{PORT})\n"
        f"See what fails:   querymust report{elsewhere} --open\n"
        "Your own books:   querymust build --library DIR\n"
        f"The UI:           querymust ui{elsewhere}    (then http://127.0.0.1:3000)"
    )


def _sample_home(root: Path) -> Home:
    """Return the home at `root` with the sample as its library.

    Raises:
        LibraryError: the home belongs to another library, whose index the sample would replace.
    """
    from retrieval.errors import LibraryError
    from retrieval.home import Home
    from retrieval.settings import Settings

    home = Home.at(root)
    library = Settings.read(home.root, {}).library
    if library is not None and library.resolve() != SAMPLE_LIBRARY:
        raise LibraryError(
            f"{home.root} contains the index of {library}, which the sample would replace; build the sample elsewhere: "
            "querymust quickstart --home DIR"
        )
    return replace(home, settings=replace(home.settings, library=SAMPLE_LIBRARY, questions=(SAMPLE_QUESTIONS,)))


def ask_examples(root: Path) -> None:
    """Ask the questions of the sample that are tagged as examples, with the filter off and on."""
    from evals.noise import Relatives
    from evals.questions.gold import resolve
    from evals.questions.questions import load_questions

    questions = load_questions(SAMPLE_QUESTIONS)
    retriever = live_retriever(root)
    chunks = tuple(retriever.snapshot.chunks)
    gold, relatives = resolve(questions, chunks).gold, Relatives.of(chunks)
    for question in questions:
        if "example" in question.tags:
            _print_side_by_side(retriever, question, frozenset(gold[question.id]), relatives)
    out.print("* answers the question.\n")


def _print_side_by_side(retriever: Retriever, question: Question, gold: frozenset[str], relatives: Relatives) -> None:
    from evals.noise import noise

    off, on = (retriever.retrieve(question.query, strategy=name) for name in ("dense", "prefilter"))
    table = Table(title=question.query, title_justify="left", expand=True, box=box.SIMPLE_HEAD, pad_edge=False)
    table.add_column("#", justify="right", width=2)
    for name in ("filter off (dense)", "filter on (prefilter)"):
        table.add_column(name, no_wrap=True, overflow="ellipsis", ratio=1)
    for rank in range(max(len(off.hits), len(on.hits))):
        cells = (_cell(retrieval.hits[rank] if rank < len(retrieval.hits) else None, gold) for retrieval in (off, on))
        table.add_row(str(rank + 1), *cells)
    out.print(table)
    before, after = (noise(retrieval.chunk_ids, gold, relatives) for retrieval in (off, on))
    out.print(f"non-matching rows from the right tables: {before} with the filter off, {after} with it on\n")


def _cell(hit: Hit | None, gold: frozenset[str]) -> Text | str:
    if hit is None:
        return ""
    words = (hit.chunk.row_key or "", *hit.chunk.heading_path[-1:])
    name = " · ".join(word for word in words if word)
    return Text(f"* {name}", style="bold green") if hit.chunk.id in gold else f"  {name}"
