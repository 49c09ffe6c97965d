"""`querymust build`: makes a scored live index from a folder of books."""

from __future__ import annotations

import os
from contextlib import closing, contextmanager
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from pipeline.commands.evaluate import print_scores_of_build
from pipeline.commands.export import (
    BookOption,
    RulesetOption,
    StoreMongodbOption,
    chosen,
    mongodb,
    print_written,
    projected,
    write,
)
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
from pipeline.console.output import counted, err, named, out, print_error, print_json, progress_bar

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence

    from pipeline.building.book_records import BookEntry
    from pipeline.runs.outcomes import Build, Step
    from retrieval.export.projection import Choice
    from retrieval.home import Home


CAUSES_SHOWN = 10
BOOKS_SHOWN = 10
ALL = "querymust build --verbose"
NAMES_SHOWN = 3


def summary(done: Build, entries: Collection[BookEntry] = ()) -> dict[str, object]:
    """Return what a build did, and its warnings, as JSON values."""
    from pipeline.lint.guarding import by_cause

    return {
        "books": list(done.slugs),
        "new": list(done.new),
        "changed": list(done.changed),
        "gone": list(done.gone),
        "skipped": list(done.skipped),
        "is_unchanged": done.is_unchanged,
        "left_out": list(done.strays),
        "refused": list(done.refused),
        "ignored": _ignored(entries),
        "warnings": [{"what": cause.warning, "where": list(cause.places)} for cause in by_cause(_warnings(entries))],
        "losses": {entry.slug: list(entry.losses) for entry in entries if entry.losses},
        "tables": {entry.slug: asdict(entry.guards) for entry in entries if entry.guards},
        "embedded": done.total("n_embedded"),
        "reused": done.total("n_reused"),
        "deleted": done.total("n_deleted"),
        "candidate": done.library.get("candidate_index", {}).get("snapshot"),
        "live": done.library.get("live_index", {}).get("snapshot"),
        "overruled": [{"where": problem.where, "what": problem.sentence} for problem in done.overruled],
        "problems": [{"where": problem.where, "what": problem.sentence} for problem in done.problems],
    }


def print_build(done: Build, entries: Collection[BookEntry], *, verbose: bool) -> None:
    """Print what was built, which parts of it are new, and what a person may want to fix."""
    from pipeline.lint.guarding import guard_lines, why_none_is_guarded

    index = done.library["candidate_index"]
    size = f"{counted(len(done.slugs), 'book')}, {index['n_chunks']:,} chunks ({index['n_guarded']:,} guarded)"
    out.print(f"{size}: {_news(done, verbose=verbose)}")
    if done.is_unchanged:
        out.print("Nothing was run: no file of the live index has changed since its build.")
    if not index["n_guarded"]:
        out.print(why_none_is_guarded(done.total("n_tables", "tables")))
    for line in guard_lines(entries, None if verbose else BOOKS_SHOWN, ALL):
        out.print(line)
    if done.refused:
        links = named(done.refused, None if verbose else NAMES_SHOWN)
        out.print(
            f"warning: links that lead out of the library are not followed; replace each with its target ({links})"
        )
    for line in (*_warning_lines(entries, verbose=verbose), *_left_out(done, entries, verbose=verbose)):
        out.print(line)
    for line in loss_lines(entries, verbose=verbose):
        out.print(line)


def loss_lines(entries: Collection[BookEntry], *, verbose: bool) -> Iterator[str]:
    """Yield the parts of the library that could not be read: on one line, or if `verbose`, on a line for each."""
    losses = [loss for entry in entries for loss in entry.losses]
    if not losses:
        return
    n_books = sum(bool(entry.losses) for entry in entries)
    sentence = f"{counted(len(losses), 'part')} of {counted(n_books, 'book')} could not be read"
    if verbose:
        yield f"warning: {sentence} and {'is' if len(losses) == 1 else 'are'} missing:"
        yield from (f"  {loss}" for loss in losses)
    else:
        yield f"warning: {sentence}: {losses[0]}{f', and {len(losses) - 1} more: {ALL}' if losses[1:] else ''}"


def _news(done: Build, *, verbose: bool) -> str:
    n_embedded = done.total("n_embedded")
    shown = None if verbose else NAMES_SHOWN
    told = [
        f"{len(slugs)} {what} ({named(slugs, shown)})"
        for what, slugs in (("new", done.new), ("changed", done.changed), ("gone", done.gone))
        if slugs
    ]
    if not told and not n_embedded:
        return "nothing changed, 0 embedded"
    unchanged = len(done.slugs) - len(done.new) - len(done.changed)
    if unchanged:
        told.append(f"{unchanged} unchanged" + (f" ({len(done.skipped)} not read again)" if done.skipped else ""))
    vectors = f"{n_embedded:,} embedded, {done.total('n_reused'):,} reused, {done.total('n_deleted'):,} deleted"
    return f"{', '.join(told)}; {vectors}"


def _warnings(entries: Collection[BookEntry]) -> Iterator[tuple[str, str]]:
    return ((entry.slug, warning) for entry in entries for warning in entry.warnings)


def _ignored(entries: Collection[BookEntry]) -> list[str]:
    return [f"{entry.slug}/{name}" for entry in entries for name in entry.ignored]


def _warning_lines(entries: Collection[BookEntry], *, verbose: bool) -> Iterator[str]:
    from pipeline.lint.guarding import by_cause

    causes = by_cause(_warnings(entries))
    for cause in causes if verbose else causes[:CAUSES_SHOWN]:
        if verbose:
            yield f"warning: {cause.warning}"
            yield from (f"  {position}" for position in cause.places)
        else:
            times = f"{len(cause.places)} times: " if len(cause.places) > 1 else ""
            yield f"warning: {cause.warning} ({times}{named(cause.places, NAMES_SHOWN)})"
    if len(causes) > CAUSES_SHOWN and not verbose:
        yield f"and {len(causes) - CAUSES_SHOWN} more kinds of warnings; to list all: {ALL}"


def _left_out(done: Build, entries: Collection[BookEntry], *, verbose: bool) -> Iterator[str]:
    from retrieval.ingest.document_names import MARKDOWN_ENDINGS

    ignored, shown = _ignored(entries), None if verbose else NAMES_SHOWN
    if ignored:
        were = f"{counted(len(ignored), 'file')} {'was' if len(ignored) == 1 else 'were'}"
        endings = f"{', '.join(MARKDOWN_ENDINGS[:-1])} and {MARKDOWN_ENDINGS[-1]}"
        yield f"{were} ignored, because only {endings} files are read: {named(ignored, shown)}"
    if done.strays:
        yield f"Left out, because a book is a folder and these files are in none: {named(done.strays, shown)}"


PROFILE = "full"
"""The only profile of a build: chunks, vectors and graph."""

ProfileOption = Annotated[
    str | None, typer.Option("--profile", help=f"`{PROFILE}`, the only profile: chunks, vectors, graph.")
]
GenerateOption = Annotated[
    bool, typer.Option("--generate-embeddings", help="No effect, because a build always does this; for compatibility.")
]
ModelOption = Annotated[str | None, typer.Option("--embedding-model", help="The same as --embedder.")]


def _check_flags(
    embedders: tuple[str | None, str | None], profile: str | None, selection: dict[str, str | None], *, store: bool
) -> None:
    """Check what the types of the options cannot.

    Args:
        embedders: the values of --embedder and --embedding-model.
        selection: the flags that select the books for --store-mongodb, which is `store`.

    Raises:
        typer.BadParameter: two flags contradict each other, or one names something that does not exist.
    """
    from retrieval.settings import embedder_of

    if profile not in {None, PROFILE}:
        raise typer.BadParameter(f"{profile!r} is not a profile; the only one is {PROFILE}", param_hint="--profile")
    if len({embedder_of(name) for name in embedders if name is not None}) > 1:
        raise typer.BadParameter(
            f"{embedders[1]!r} contradicts --embedder {embedders[0]!r}; a snapshot has one model, so give only one of "
            "the two",
            param_hint="--embedding-model",
        )
    for flag, value in selection.items():
        if value is not None and not store:
            raise typer.BadParameter(
                "a build always covers the whole library; this selects the books that --store-mongodb writes: add "
                "that, or omit this",
                param_hint=flag,
            )


def _store_live(root: Path, choice: Choice, *, quiet: bool) -> None:
    """Write the selected books of what is live in the home at `root` to MongoDB.

    Raises:
        UnknownNameError: the library has no such book or ruleset.
    """
    with projected(root) as projection, closing(mongodb()) as server:
        written = write(projection, server, choice)
        if not quiet:
            print_written(server.name, written)


INTERRUPTED = 130
"""The exit status of a command that Ctrl-C stopped: 128 plus the number of the signal."""

NO_QUESTIONS = (
    "No questions were given, so nothing was scored; the index went live because the other checks passed. "
    "To score it: querymust build --questions FILE"
)


@dataclass(frozen=True, slots=True)
class Request:
    """What one build was asked to do."""

    home: Home
    forgotten: tuple[Path, ...]
    """Remembered question files that are about the library of the previous build, not about this one."""
    replaced: tuple[Path, ...] | None
    """Question files of the live index that those of an option replace; None if nothing is live, or another library."""


def build_library(
    library: Annotated[
        Path | None,
        typer.Option("--library", help="Folder of books, or .jsonl file of documents; the home remembers it."),
    ] = None,
    home: HomeOption = DEFAULT_HOME,
    questions: QuestionsOption = None,
    no_questions: Annotated[
        bool, typer.Option("--no-questions", help="Forget the questions of the last build.")
    ] = False,
    embedder: Annotated[str | None, typer.Option("--embedder", help="minilm, wordllama, openai or st:MODEL.")] = None,
    embedding_model: ModelOption = None,
    profile: ProfileOption = None,
    _generate_embeddings: GenerateOption = False,
    store_mongodb: StoreMongodbOption = False,
    ruleset: RulesetOption = None,
    book: BookOption = None,
    force: ForceOption = None,
    accept: AcceptOption = None,
    plan: Annotated[bool, typer.Option("--plan", help="Only print what the build would do and cost.")] = False,
    strict: Annotated[
        bool, typer.Option("--strict", help="Exit with status 1 if there is a warning about the library.")
    ] = False,
    verbose: Annotated[bool, typer.Option("--verbose", help="List every warning and every ignored file.")] = False,
    json_: JsonOption = False,
) -> None:
    """Build the index of a library, score it, and promote it if its checks pass.

    Without questions, nothing is scored.
    A later build embeds only what changed. If a book cannot be read, its last indexed version stays in the index, or
    the book is left out if it has none. If a check fails, the live index does not change.
    --plan counts books, chunks, tokens and dollars; it writes nothing and sends nothing. If a build could not start,
    the exit status is 1 (the cost is above `budget_usd` in rag.yaml) or 2 (the embedder lacks its package or key).
    --force overrides only the checks on scores, and --accept accepts only text that may be damaged or lost. The
    reasons are stored, and what was accepted is not reported again (docs/how-to/operations.md).
    --store-mongodb also writes the new live index to MongoDB, or only the books that --ruleset and --book select
    (docs/how-to/artifacts.md).
    If the library is not that of the last build, the questions of the last build are forgotten. Ctrl-C stops a build
    at once and does not change the live index; the next build continues the work.

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

    selection = {"--ruleset": ruleset, "--book": book}
    _check_flags((embedder, embedding_model), profile, selection, store=store_mongodb)
    if plan and store_mongodb:
        raise typer.BadParameter("a plan writes nothing; give only one of the two", param_hint="--store-mongodb")
    with told_when_interrupted(home):
        query = asked_for(home, library, questions, no_questions=no_questions, embedder=embedder or embedding_model)
        if store_mongodb:
            mongodb().close()  # a server that cannot be reached is reported before the work begins
        check_library(query.home.library)  # before Dagster, which takes seconds to load
        if plan:
            _show_plan(query.home, json_=json_)
            return
        done = run_build(
            query.home, query.forgotten, query.replaced, force=force, accept=accept, json_=json_, verbose=verbose
        )
        if store_mongodb:
            _store_live(query.home.root, chosen(ruleset, book), quiet=json_)
    if not json_:
        print_scores_of_build(query.home, str(done.library["live_index"]["snapshot"]))
    if strict:
        _require_no_warning(query.home, done)


@contextmanager
def told_when_interrupted(root: Path) -> Iterator[None]:
    """Turn Ctrl-C into one line about the home at `root` and exit status 130."""
    pointer = root.expanduser() / "live"
    before = pointer.read_bytes() if pointer.is_file() else b""
    try:
        yield
    except KeyboardInterrupt:
        live = pointer.read_bytes() if pointer.is_file() else b""
        kept = "the live index has not changed" if live else "nothing is live yet"
        if live != before:
            kept = "the new index had just gone live"
        err.print(f"Interrupted; {kept}. Run the same command to continue.")
        raise typer.Exit(INTERRUPTED) from None


def asked_for(
    root: Path,
    library: Path | None = None,
    questions: Sequence[Path] | None = None,
    *,
    no_questions: bool = False,
    embedder: str | None = None,
) -> Request:
    """Return the home at `root` with the settings of a build: options override the environment, which overrides the
    remembered settings.

    Raises:
        FileNotFoundError: a question file does not exist.
        RetrievalError: a remembered question file no longer exists.
        UnreadableSettingsError: the home's `rag.yaml` cannot be read.
    """
    from retrieval.home import Home
    from retrieval.index.snapshot.live import standing_id
    from retrieval.settings import Settings, embedder_of

    home = Home.at(root)
    settings, stored = home.settings, Settings.read(home.root, {})
    chosen = library or settings.library
    if chosen is not None:
        settings = replace(settings, library=chosen.expanduser().resolve())
    if embedder is not None:
        settings = replace(settings, embedder=embedder_of(embedder))
    forgotten: tuple[Path, ...] = ()
    replaced: tuple[Path, ...] | None = None
    is_another = bool(stored.library and stored.library.resolve() != settings.library)
    if questions or no_questions:
        replaced = None if is_another or standing_id(home.root) is None else stored.questions
        settings = replace(settings, questions=existing(questions))
    elif is_another and not os.environ.get("QUERYMUST_QUESTIONS"):
        forgotten = settings.questions
        settings = replace(settings, questions=())
    else:
        settings = replace(settings, questions=remembered_questions(home))
    return Request(replace(home, settings=settings), forgotten, replaced)


def _show_plan(home: Home, *, json_: bool) -> None:
    from pipeline.building.plan import plan_record, print_plan
    from pipeline.runs.build import planned
    from retrieval.errors import BudgetExceededError, EmbedderUnavailableError

    plan = planned(home)
    if json_:
        print_json(plan_record(plan))
    else:
        print_plan(plan)
    if plan.obstacle:
        raise EmbedderUnavailableError(f"a build could not start: {plan.obstacle}")
    try:
        plan.cost.require_within(plan.budget)
    except BudgetExceededError as error:
        print_error(str(error))
        raise typer.Exit(1) from None


def run_build(
    home: Home,
    forgotten: Sequence[Path] = (),
    replaced: tuple[Path, ...] | None = None,
    *,
    force: str | None = None,
    accept: str | None = None,
    json_: bool = False,
    verbose: bool = False,
) -> Build:
    """Build, print what happened, and exit with status 1 if the candidate did not go live: the home then remembers the
    question files that those of this build replaced.

    Raises:
        HomeBusyError: another build is running in this home.
    """
    from pipeline.building.book_records import book_entries

    done = _watched(home, force, accept)
    if forgotten:
        err.print(
            f"Forgot the questions of the previous library: {', '.join(map(str, forgotten))}. "
            "To score this one: querymust build --questions FILE"
        )
    entries = [entry for slug, entry in book_entries(home).items() if slug in done.slugs]
    if json_:
        print_json(summary(done, entries))
    elif not done.problems:
        print_build(done, entries, verbose=verbose)
        if not home.settings.questions:
            out.print(NO_QUESTIONS)
        for overruled in done.overruled:
            out.print(f"Forced, although {overruled.where}: {overruled.sentence}")
        if (reason := done.library["live_index"].get("accepted", "no")) != "no":
            out.print(f"Accepted as it was read ({reason}).")
        out.print(f"live: {done.library['live_index']['snapshot']}")
    for sentence in done.sentences:
        print_error(sentence)
    if done.problems:
        live = done.library.get("live_index", {}).get("snapshot")
        err.print(f"{live} is live all the same." if live else "The live index, if there is one, has not changed.")
        if not live and replaced is not None:
            replace(home.settings, questions=replaced).write(home.root)
            err.print(f"The next build uses the questions of the live index: {', '.join(map(str, replaced)) or 'none'}")
        raise typer.Exit(1)
    return done


def _require_no_warning(home: Home, done: Build) -> None:
    """Exit with status 1 if a part of a book could not be read, or there is another warning about a book."""
    from pipeline.building.book_records import book_entries

    entries = [entry for slug, entry in book_entries(home).items() if slug in done.slugs]
    if any(entry.losses for entry in entries):
        print_error(
            "--strict: a part of the library could not be read (see above), so the live index lacks it or is older"
        )
        raise typer.Exit(1)
    if any(entry.warnings for entry in entries):
        print_error("--strict: there are warnings about the library (see above, or: querymust status --all)")
        raise typer.Exit(1)


def _watched(home: Home, force: str | None, accept: str | None) -> Build:
    """Build and show the progress: as a bar on a terminal, elsewhere as a line for each book and each set of scores."""
    from pipeline.runs.apart import build_apart
    from retrieval.index.embedding.embedding_store import EMBEDDED

    shown = ""
    with progress_bar("building") as bar:

        def tell(step: Step) -> None:
            nonlocal shown
            bar(f"{step.doing}, {step.part}" if step.part else step.doing, step.done, step.total)
            if err.is_terminal:
                return
            if step.doing != shown:
                shown = step.doing
                err.print(shown)
            elif step.part.endswith(EMBEDDED):
                err.print(f"{step.doing}, {step.part}")

        return build_apart(home, tell, force, accept)
