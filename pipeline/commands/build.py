"""`querymust build`: a folder of books in, a measured live index out."""

from __future__ import annotations

import os
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from pipeline.commands.artifacts.export import BookOption, RulesetOption, StoreMongodbOption
from pipeline.commands.artifacts.ingest_flags import GenerateOption, IngestFlags, ModelOption, ProfileOption
from pipeline.commands.evaluate import print_scores_of_build
from pipeline.commands.options import (
    DEFAULT_HOME,
    AcceptOption,
    ForceOption,
    HomeOption,
    JsonOption,
    QuestionsOption,
    existing,
    remembered_questions,
)
from pipeline.console.output import err, out, print_error, print_json, progress_bar

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from pipeline.runs.outcomes import Build, Step
    from retrieval.home import Home


INTERRUPTED = 130
"""The exit status of what Ctrl-C stopped: 128 and the number of the signal."""

NO_QUESTIONS = (
    "No questions were given, so nothing was scored; the index went live on the checks that need none. "
    "Give some: querymust build --questions FILE"
)


@dataclass(frozen=True, slots=True)
class Request:
    """What one build was asked for."""

    home: Home
    forgotten: tuple[Path, ...]
    """Remembered question files that are about the library of the build before, and not about this one."""


def build_library(
    library: Annotated[
        Path | None,
        typer.Option("--library", help="Folder of books, or .jsonl file of documents; remembered in the home."),
    ] = None,
    home: HomeOption = DEFAULT_HOME,
    questions: QuestionsOption = None,
    no_questions: Annotated[bool, typer.Option("--no-questions", help="Forget those of the last build.")] = False,
    embedder: Annotated[str | None, typer.Option("--embedder", help="wordllama, minilm, openai or st:MODEL.")] = None,
    embedding_model: ModelOption = None,
    profile: ProfileOption = None,
    _generate_embeddings: GenerateOption = False,
    store_mongodb: StoreMongodbOption = False,
    ruleset: RulesetOption = None,
    book: BookOption = None,
    force: ForceOption = None,
    accept: AcceptOption = None,
    plan: Annotated[bool, typer.Option("--plan", help="Only say what it would do, and what it would cost.")] = False,
    verbose: Annotated[bool, typer.Option("--verbose", help="Name every warning and every ignored file.")] = False,
    json_: JsonOption = False,
) -> None:
    """Build the index of a library, score it, and let it go live if its checks hold.

    Without questions nothing is scored.
    A second build embeds only what changed. A book that cannot be read keeps its last reading, or is left out; if a
    check does not hold, the live index stays as it was.
    --plan counts books, chunks, tokens and dollars, writes nothing and sends nothing. Where no build would begin, its
    status says so: 1 beyond `budget_usd` of rag.yaml, 2 where the embedder lacks its library.
    --force goes past the rules about scores only, --accept past text that was read with a guess. The reasons are kept,
    and what was accepted is not asked again (docs/how-to/operations.md).
    --store-mongodb also writes what went live to MongoDB, or the books of it that --ruleset and --book choose
    (docs/how-to/artifacts.md).
    Another library than that of the last build forgets the questions of the last build. Ctrl-C stops a build at once
    and loses nothing that was live; the next one goes on where it was.

    \b
    Examples:
      querymust build --library books
      querymust build --library books --questions mine.jsonl
      querymust build --library tickets.jsonl
      querymust build --plan --embedder openai
      querymust build --store-mongodb --book lantern-and-blade
      querymust build          (the library and the questions of the last build)
    """
    from retrieval.ingest.library.library import check_library

    flags = IngestFlags(ruleset, book, store_mongodb, profile, embedding_model, embedder, plan)
    with told_when_interrupted(home):
        asked = asked_for(home, library, questions, no_questions=no_questions, embedder=flags.model)
        flags.check_server()
        check_library(asked.home.library)  # loading Dagster takes seconds, and this would be said after it
        if plan:
            _show_plan(asked.home, json_=json_)
            return
        done = run_build(
            asked.home,
            asked.forgotten,
            force=force,
            accept=accept,
            json_=json_,
            verbose=verbose,
        )
        flags.hand_over(asked.home.root, quiet=json_)
    if not json_:
        print_scores_of_build(asked.home, str(done.library["live_index"]["snapshot"]))


@contextmanager
def told_when_interrupted(root: Path) -> Iterator[None]:
    """Turn Ctrl-C into one line about the home at `root` and exit status 130."""
    pointer = root.expanduser() / "live"
    before = pointer.read_bytes() if pointer.is_file() else b""
    try:
        yield
    except KeyboardInterrupt:
        live = pointer.read_bytes() if pointer.is_file() else b""
        kept = "the live index is as it was" if live else "nothing is live yet"
        if live != before:
            kept = "the new index had just gone live"
        err.print(f"Interrupted; {kept}. Run the same command to go on.")
        raise typer.Exit(INTERRUPTED) from None


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
    from retrieval.contract_settings import embedder_of
    from retrieval.home import Home
    from retrieval.settings import Settings

    home = Home.at(root)
    settings, before = home.settings, Settings.read(home.root, {}).library
    chosen = library or settings.library
    if chosen is not None:
        settings = replace(settings, library=chosen.expanduser().resolve())
    if embedder is not None:
        settings = replace(settings, embedder=embedder_of(embedder))
    forgotten: tuple[Path, ...] = ()
    if questions or no_questions:
        settings = replace(settings, questions=existing(questions))
    elif before and before.resolve() != settings.library and not os.environ.get("QUERYMUST_QUESTIONS"):
        forgotten = settings.questions
        settings = replace(settings, questions=())
    else:
        settings = replace(settings, questions=remembered_questions(home))
    return Request(replace(home, settings=settings), forgotten)


def _show_plan(home: Home, *, json_: bool) -> None:
    from pipeline.building.plan import plan_record
    from pipeline.building.plan_lines import print_plan
    from pipeline.runs.planning import planned
    from retrieval.errors import BudgetExceededError, EmbedderUnavailableError

    found = planned(home)
    if json_:
        print_json(plan_record(found))
    else:
        print_plan(found)
    if found.obstacle:
        raise EmbedderUnavailableError(f"a build would not begin: {found.obstacle}")
    try:
        found.cost.require_within(found.budget)
    except BudgetExceededError as error:
        print_error(str(error))
        raise typer.Exit(1) from None


def run_build(
    home: Home,
    forgotten: Sequence[Path] = (),
    *,
    force: str | None = None,
    accept: str | None = None,
    json_: bool = False,
    verbose: bool = False,
) -> Build:
    """Build, say what happened, and exit with status 1 where the candidate did not go live.

    Raises:
        HomeBusyError: another build is at work in this home.
    """
    from pipeline.building.book_entry import book_entries
    from pipeline.commands.build_report import print_build, summary

    done = _watched(home, force, accept)
    if forgotten:
        err.print(
            f"Forgot the questions of the library before: {', '.join(map(str, forgotten))}. "
            "For this one, give some: querymust build --questions FILE",
            markup=False,
        )
    entries = [entry for slug, entry in book_entries(home).items() if slug in done.slugs]
    if json_:
        print_json(summary(done, entries))
    elif not done.problems:
        print_build(done, entries, verbose=verbose)
        if not home.settings.questions:
            out.print(NO_QUESTIONS, markup=False)
        for overruled in done.overruled:
            out.print(f"By force, although {overruled.where}: {overruled.sentence}", markup=False)
        if (reason := done.library["live_index"].get("accepted", "no")) != "no":
            out.print(f"Accepted as it was read ({reason}).", markup=False)
        out.print(f"live: {done.library['live_index']['snapshot']}")
    for sentence in done.sentences:
        print_error(sentence)
    if done.problems:
        err.print("The live index, if there was one, is as it was.")
        raise typer.Exit(1)
    return done


def _watched(home: Home, force: str | None, accept: str | None) -> Build:
    """Build and say how far it is: as a bar on a terminal, elsewhere as a line for each book and each set of scores."""
    from pipeline.runs.apart import build_apart
    from retrieval.index.embedding.embedding_store import EMBEDDED

    said = ""
    with progress_bar("building") as bar:
        bar("starting", 0, 1)

        def tell(step: Step) -> None:
            nonlocal said
            bar(f"{step.doing}, {step.part}" if step.part else step.doing, step.done, step.total)
            if err.is_terminal:
                return
            if step.doing != said:
                said = step.doing
                err.print(said, markup=False)
            elif step.part.endswith(EMBEDDED):
                err.print(f"{step.doing}, {step.part}", markup=False)

        return build_apart(home, tell, force, accept)
