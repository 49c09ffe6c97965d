"""`querymust build`: a folder of books in, a measured live index out."""

from __future__ import annotations

import os
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from pipeline.commands.evaluate import print_scores_of_build
from pipeline.commands.options import (
    DEFAULT_HOME,
    HomeOption,
    JsonOption,
    QuestionsOption,
    existing,
    remembered_questions,
)
from pipeline.console.output import err, out, print_error, print_json, progress_bar

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pipeline.runs.build import Build
    from retrieval.home import Home


@dataclass(frozen=True, slots=True)
class Request:
    """What one build was asked for."""

    home: Home
    forgotten: tuple[Path, ...]
    """Remembered question files that are about the library of the build before, and not about this one."""


def build_library(
    library: Annotated[Path | None, typer.Option("--library", help="Folder of books; remembered in the home.")] = None,
    home: HomeOption = DEFAULT_HOME,
    questions: QuestionsOption = None,
    no_questions: Annotated[bool, typer.Option("--no-questions", help="Forget those of the last build.")] = False,
    embedder: Annotated[str | None, typer.Option("--embedder", help="wordllama, minilm or openai.")] = None,
    json_: JsonOption = False,
) -> None:
    """Build the index of a library, score it, and let it go live if its checks hold.

    Without questions nothing is scored.
    A second build embeds only what changed. If a book fails or a check does not hold, the live index stays as it was.
    Another library than that of the last build forgets the questions of the last build.

    \b
    Examples:
      querymust build --library books
      querymust build --library books --questions mine.jsonl
      querymust build          (the library and the questions of the last build)
    """
    asked = asked_for(home, library, questions, no_questions=no_questions, embedder=embedder)
    done = run_build(asked.home, asked.forgotten, json_=json_)
    if not json_:
        print_scores_of_build(asked.home, str(done.library["live_index"]["snapshot"]))


def asked_for(
    root: Path,
    library: Path | None = None,
    questions: Sequence[Path] | None = None,
    *,
    no_questions: bool = False,
    embedder: str | None = None,
) -> Request:
    """The home at `root` with the settings of a build: options over the environment over what the home remembers.

    Raises:
        FileNotFoundError: a file of questions is not there.
        RetrievalError: a remembered file of questions is not there any more.
        UnreadableSettingsError: the home's `rag.yaml` cannot be read.
    """
    from retrieval.home import Home
    from retrieval.settings import Settings

    home = Home.at(root)
    settings, before = home.settings, Settings.read(home.root, {}).library
    chosen = library or settings.library
    if chosen is not None:
        settings = replace(settings, library=chosen.expanduser().resolve())
    if embedder is not None:
        settings = replace(settings, embedder=embedder)
    forgotten: tuple[Path, ...] = ()
    if questions or no_questions:
        settings = replace(settings, questions=existing(questions))
    elif before and before.resolve() != settings.library and not os.environ.get("QUERYMUST_QUESTIONS"):
        forgotten = settings.questions
        settings = replace(settings, questions=())
    else:
        settings = replace(settings, questions=remembered_questions(home))
    return Request(replace(home, settings=settings), forgotten)


def run_build(home: Home, forgotten: Sequence[Path] = (), *, json_: bool = False) -> Build:
    """Build, say what happened, and exit with status 1 where the candidate did not go live."""
    with progress_bar("building") as bar:
        bar("starting", 0, 1)
        from pipeline.runs.build import build

        done = build(home, bar)
    if forgotten:
        err.print(
            f"Forgot the questions of the library before: {', '.join(map(str, forgotten))}. "
            "For this one, give some: querymust build --questions FILE",
            markup=False,
        )
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
