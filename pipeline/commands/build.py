"""`querymust build`: a folder of books in, a measured live index out."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from pipeline.commands.options import DEFAULT_HOME, HomeOption, JsonOption, QuestionsOption, existing
from pipeline.console import err, out, print_error, print_json, progress_bar

if TYPE_CHECKING:
    from pipeline.build import Build
    from retrieval.home import Home


def build_library(
    library: Annotated[Path | None, typer.Option("--library", help="Folder of books; remembered in the home.")] = None,
    home: HomeOption = DEFAULT_HOME,
    questions: QuestionsOption = None,
    no_questions: Annotated[bool, typer.Option("--no-questions", help="Forget those of the last build.")] = False,
    embedder: Annotated[str | None, typer.Option("--embedder", help="wordllama, minilm or openai.")] = None,
    json_: JsonOption = False,
) -> None:
    """Build the index of a library, score it, and let it go live if its checks hold.

    A second build embeds only what changed. If a book fails or a check does not hold, the live index stays as it was.

    \b
    Examples:
      querymust build --library books
      querymust build --library books --questions mine.jsonl
      querymust build          (the library and the questions of the last build)
    """
    from retrieval.home import Home

    asked = Home.at(home)
    settings = asked.settings
    if library is not None:
        settings = replace(settings, library=library.expanduser().resolve())
    if questions or no_questions:
        settings = replace(settings, questions=existing(questions))
    if embedder is not None:
        settings = replace(settings, embedder=embedder)
    run_build(replace(asked, settings=settings), json_=json_)


def run_build(home: Home, *, json_: bool = False) -> Build:
    """Build, say what happened, and exit with status 1 where the candidate did not go live."""
    with progress_bar("building") as bar:
        bar("starting", 0, 1)
        from pipeline.build import build

        done = build(home, bar)
    if json_:
        print_json(summary(done))
    elif not done.problems:
        _print_summary(done, home)
    for problem in done.problems:
        print_error(f"{problem.where}: {problem.sentence}")
    if done.problems:
        err.print("The live index, if there was one, is as it was.")
        raise typer.Exit(1)
    return done


def summary(done: Build) -> dict[str, object]:
    """What a build did, as JSON values."""
    return {
        "books": list(done.slugs),
        "left_out": list(done.strays),
        "embedded": done.total("n_embedded"),
        "reused": done.total("n_reused"),
        "deleted": done.total("n_deleted"),
        "candidate": done.library.get("candidate_index", {}).get("snapshot"),
        "live": done.library.get("live_index", {}).get("snapshot"),
        "problems": [{"where": problem.where, "what": problem.sentence} for problem in done.problems],
    }


def _print_summary(done: Build, home: Home) -> None:
    index, live = done.library["candidate_index"], done.library["live_index"]
    out.print(
        f"{len(done.slugs)} books, {index['n_chunks']} chunks ({index['n_guarded']} guarded): "
        f"{done.total('n_embedded')} embedded, {done.total('n_reused')} reused, {done.total('n_deleted')} deleted"
    )
    for slug, outcome in done.books.items():
        read = outcome.numbers["books"]
        if read["n_warnings"] or read["n_ignored"]:
            out.print(f"  {slug}: {read['n_warnings']} warnings, {read['n_ignored']} files ignored", markup=False)
            out.print(f"{read['warnings']}", markup=False)
    if done.strays:
        out.print(
            f"Left out, for a book is a folder and these lie beside them: {', '.join(done.strays)}",
            markup=False,
        )
    if not home.settings.questions:
        out.print(
            "No questions were given, so nothing was scored; the index went live on the checks that need none. "
            "Give some: querymust build --questions FILE",
            markup=False,
        )
    out.print(f"live: {live['snapshot']}")
