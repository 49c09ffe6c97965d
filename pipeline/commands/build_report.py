"""What `querymust build` says of a build that is done: as lines for a person, and as JSON values for a program."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING

from pipeline.console.output import counted, named, out
from pipeline.lint.causes import by_cause
from pipeline.lint.guarding import guard_lines, why_none_is_guarded

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

    from pipeline.building.book_entry import BookEntry
    from pipeline.runs.outcomes import Build

CAUSES_SHOWN = 10
BOOKS_SHOWN = 10
ALL = "querymust build --verbose"
NAMES_SHOWN = 3


def summary(done: Build, entries: Collection[BookEntry] = ()) -> dict[str, object]:
    """What a build did, and what it read with warnings, as JSON values."""
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
        "warnings": [{"what": cause.said, "where": list(cause.places)} for cause in by_cause(_warnings(entries))],
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
    """What was built, what of it is new, and what a person may want to put right."""
    index = done.library["candidate_index"]
    size = f"{counted(len(done.slugs), 'book')}, {index['n_chunks']:,} chunks ({index['n_guarded']:,} guarded)"
    out.print(f"{size}: {_news(done, verbose=verbose)}", markup=False)
    if done.is_unchanged:
        out.print("Nothing was run: every file of the live index is as the build that made it left it.", markup=False)
    if not index["n_guarded"]:
        out.print(why_none_is_guarded(done.total("n_tables", "tables")), markup=False)
    for line in guard_lines(entries, None if verbose else BOOKS_SHOWN, ALL):
        out.print(line, markup=False)
    if index.get("n_graph_faults"):
        out.print(f"The collections are searched by {index['neighbours']}.", markup=False)
    if done.refused:
        links = named(done.refused, None if verbose else NAMES_SHOWN)
        out.print(
            f"warning: a link that leads out of the library is not followed; put the folder itself there ({links})",
            markup=False,
        )
    for line in (*_warning_lines(entries, verbose=verbose), *_left_out(done, entries, verbose=verbose)):
        out.print(line, markup=False)
    for line in loss_lines(entries, verbose=verbose):
        out.print(line, markup=False)


def loss_lines(entries: Collection[BookEntry], *, verbose: bool) -> Iterator[str]:
    """What is missing of the library because it could not be read: on one line, or if `verbose` a line for each."""
    losses = [loss for entry in entries for loss in entry.losses]
    if not losses:
        return
    n_books = sum(bool(entry.losses) for entry in entries)
    said = f"{counted(len(losses), 'part')} of {counted(n_books, 'book')} could not be read"
    if verbose:
        yield f"warning: {said} and {'is' if len(losses) == 1 else 'are'} missing:"
        yield from (f"  {loss}" for loss in losses)
    else:
        yield f"warning: {said}: {losses[0]}{f', and {len(losses) - 1} more: {ALL}' if losses[1:] else ''}"


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
    causes = by_cause(_warnings(entries))
    for cause in causes if verbose else causes[:CAUSES_SHOWN]:
        if verbose:
            yield f"warning: {cause.said}"
            yield from (f"  {place}" for place in cause.places)
        else:
            times = f"{len(cause.places)} times: " if len(cause.places) > 1 else ""
            yield f"warning: {cause.said} ({times}{named(cause.places, NAMES_SHOWN)})"
    if len(causes) > CAUSES_SHOWN and not verbose:
        yield f"and {len(causes) - CAUSES_SHOWN} more kinds of warnings; all of them: {ALL}"


def _left_out(done: Build, entries: Collection[BookEntry], *, verbose: bool) -> Iterator[str]:
    ignored, shown = _ignored(entries), None if verbose else NAMES_SHOWN
    if ignored:
        were = f"{counted(len(ignored), 'file')} {'was' if len(ignored) == 1 else 'were'}"
        yield f"{were} ignored, for only .md files are read: {named(ignored, shown)}"
    if done.strays:
        yield f"Left out, because a book is a folder and these are beside them: {named(done.strays, shown)}"
