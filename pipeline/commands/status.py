"""`querymust status`: the content of a home, and whether it is up to date with its library."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from pipeline.commands.options import DEFAULT_HOME, AllOption, HomeOption, JsonOption
from pipeline.console.output import counted, named, out, print_json

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

    from evals.verdicts import GateState
    from pipeline.building.book_records import BookEntry
    from retrieval.files.locks import Holder
    from retrieval.home import Home

NAMES_SHOWN = 5
SCORES_SHOWN = ("hit@1", "hit@5", "mrr", "ndcg@10", "noise@15", "false_exclusions")


@dataclass(frozen=True, slots=True)
class LiveIndex:
    """The snapshot that readers get."""

    id: str
    built: datetime
    """When its folder was completed."""
    since: datetime
    """When it went live; a promotion of the same snapshot counts."""
    n_chunks: int
    n_tables: int
    n_guarded: int
    embedder: str
    scores: Mapping[str, float | None]
    """Scores of `default`; empty if it was not scored."""


@dataclass(frozen=True, slots=True)
class Status:
    """What is known about a home without asking Dagster or Chroma. Key: home."""

    home: Home
    """With the settings of the next build; the live index may have another embedder."""
    books: Mapping[str, str]
    """By slug, against the library as it is now: `indexed`, `unreadable` (an earlier version is indexed, or none),
    `changed`, `new` or `gone`; else `unknown`."""
    entries: tuple[BookEntry, ...]
    """Those of the books that were indexed, in the order of their slugs."""
    unreadable: str | None
    """Why the library cannot be read."""
    n_documents: int | None
    """Those of the live index; None if it is not from the last build."""
    live: LiveIndex | None
    candidate: str | None
    """The newest snapshot, if it was built but did not go live."""
    gate: GateState
    """The verdict of the gate on the newest snapshot, live or not."""
    at_work: Holder | None

    @classmethod
    def of(cls, home: Home) -> Status:
        """Inspect `home` without changing anything.

        Raises:
            NothingLiveError: nothing was built there, no build is running, and none was begun.
            IndexCorruptError: the pointer or the manifest of the live snapshot cannot be read.
        """
        from evals.verdicts import gate_state
        from pipeline.building.book_records import book_entries
        from retrieval.errors import IndexCorruptError, IndexMissingError, LibraryError, NothingLiveError
        from retrieval.files.locks import holder
        from retrieval.index.snapshot.live import SNAPSHOTS
        from retrieval.ingest.library.library import list_books

        entries, live, at_work = book_entries(home), _live(home), holder(home.root)
        if not (entries or live or at_work or home.settings.library):
            how = "live" if (home.root / SNAPSHOTS).is_dir() else "built"
            raise NothingLiveError.of(home.root, f"nothing is {how}")
        unreadable = None
        try:
            digests = {folder.slug: folder.digest for folder in list_books(home.library)}
            books = {slug: "new" if slug not in entries else "changed" for slug in digests}
            books |= {slug: "indexed" for slug, entry in entries.items() if digests.get(slug) == entry.digest}
            books |= {slug: "unreadable" for slug, entry in entries.items() if entry.fault and books[slug] == "indexed"}
            books |= {slug: "gone" for slug in entries if slug not in digests}
        except LibraryError as error:
            unreadable, books = str(error), dict.fromkeys(entries, "unknown")
        try:
            candidate = home.candidate
        except (IndexMissingError, IndexCorruptError):
            candidate = None  # what readers get does not depend on it, and the next build names it again
        is_last = live is not None and candidate == live.id
        return cls(
            home=home,
            books=dict(sorted(books.items())),
            entries=tuple(entries.values()),
            unreadable=unreadable,
            n_documents=sum(entry.n_documents for entry in entries.values()) if is_last else None,
            live=live,
            candidate=None if is_last else candidate,
            gate=gate_state(home.root, candidate),
            at_work=at_work,
        )


def status(home: HomeOption = DEFAULT_HOME, all_: AllOption = False, json_: JsonOption = False) -> None:
    """Show the live snapshot, its age and scores, the last verdict of the gate, and the new and changed books.

    For each book, it shows how many tables are guarded, and why the others are not; lint lists those.

    \b
    Examples:
      querymust status
      querymust status --all
      querymust status --json
    """
    from retrieval.home import Home

    state = Status.of(Home.at(home))
    if json_:
        print_json(record(state))
        return
    for name, value in _lines(state, None if all_ else NAMES_SHOWN):
        out.print(f"{name:<11}{value}")


def record(home_status: Status) -> dict[str, object]:
    """Return a status as JSON values; times are ISO 8601 with their time zone."""
    live, gate, at_work = home_status.live, home_status.gate, home_status.at_work
    settings = home_status.home.settings
    return {
        "home": str(home_status.home.root),
        "library": str(settings.library) if settings.library else None,
        "library_error": home_status.unreadable,
        "embedder": settings.embedder,
        "questions": [str(path) for path in settings.questions],
        "books": dict(home_status.books),
        "tables": {entry.slug: asdict(entry.guards) for entry in home_status.entries if entry.guards},
        "losses": {entry.slug: list(entry.losses) for entry in home_status.entries if entry.losses},
        "warnings": {entry.slug: list(entry.warnings) for entry in home_status.entries if entry.warnings},
        "n_documents": home_status.n_documents,
        "live": asdict(live) | {"built": live.built.isoformat(), "since": live.since.isoformat()} if live else None,
        "candidate": home_status.candidate,
        "gate": asdict(gate) | {"at": gate.at.isoformat() if gate.at else None},
        "at_work": asdict(at_work) | {"since": at_work.since.isoformat()} if at_work else None,
    }


def _live(home: Home) -> LiveIndex | None:
    from evals.leaderboard import Leaderboard
    from retrieval.errors import IndexCorruptError
    from retrieval.index.snapshot.live import POINTER, live_id, promotions, snapshot_folder
    from retrieval.index.snapshot.manifest import MANIFEST_FILE, Manifest

    snapshot = live_id(home.root)
    if snapshot is None:
        return None
    folder, moves = snapshot_folder(home.root, snapshot), promotions(home.root)
    manifest = Manifest.read(folder)
    try:
        scores = Leaderboard.read(home.evaluations / snapshot).strategies.get("default", {})
    except (FileNotFoundError, IndexCorruptError):
        scores = {}  # the index works without them
    return LiveIndex(
        id=snapshot,
        built=_changed(folder / MANIFEST_FILE),
        since=next((move.at for move in reversed(moves) if move.snapshot == snapshot), _changed(home.root / POINTER)),
        n_chunks=manifest.n_chunks,
        n_tables=manifest.n_tables,
        n_guarded=manifest.n_guarded + manifest.n_keyed,
        embedder=manifest.embedder.name,
        scores={name: value for name, value in scores.items() if value is not None},
    )


def _changed(path: Path) -> datetime:
    return datetime.fromtimestamp(int(path.stat().st_mtime), UTC)


def _lines(home_status: Status, shown: int | None) -> Iterator[tuple[str, str]]:
    from pipeline.console.scores import ago, gate_lines
    from pipeline.lint.guarding import guard_lines

    settings = home_status.home.settings
    yield "home", str(home_status.home.root)
    yield "library", home_status.unreadable or str(settings.library)
    of_build = (
        f"; in {home_status.candidate}, which is not live" if home_status.candidate and home_status.entries else ""
    )
    yield (
        "books",
        f"{len(home_status.books)}: {_states(home_status.books)}{of_build}" if home_status.books else "none yet",
    )
    if home_status.live is None:
        yield "live", "nothing yet" if home_status.at_work else "nothing yet; to go on: querymust build"
    else:
        live = home_status.live
        yield "live", f"{live.id}, built {ago(live.built)}, live since {live.since.astimezone():%Y-%m-%d %H:%M}"
        documents = "" if home_status.n_documents is None else f"{counted(home_status.n_documents, 'document')}, "
        tables = f"{counted(live.n_tables, 'table')}, {live.n_guarded:,} chunks guarded"
        yield "", f"{documents}{counted(live.n_chunks, 'chunk')}, {tables}"
        other = f" (the next build uses {settings.embedder})" if settings.embedder != live.embedder else ""
        yield "embedder", f"{live.embedder}{other}"
    for number, line in enumerate(guard_lines(home_status.entries, shown, "querymust status --all")):
        yield "" if number else "tables", line
    yield from _listed("missing", [loss for entry in home_status.entries for loss in entry.losses], shown)
    warnings = [f"{entry.slug}/{warning}" for entry in home_status.entries for warning in entry.warnings]
    yield from _listed("warnings", warnings, shown)
    if home_status.candidate:
        yield "candidate", f"{home_status.candidate} was built but is not live"
    yield from gate_lines(home_status.gate)
    yield "questions", ", ".join(map(str, settings.questions)) or "none, so nothing is scored"
    if home_status.live and home_status.live.scores:
        yield "scores", _scores(home_status.live.scores)
    if home_status.at_work:
        yield "running", f"{home_status.at_work}: {home_status.at_work.command}"


def _listed(name: str, sentences: Sequence[str], shown: int | None) -> Iterator[tuple[str, str]]:
    for number, sentence in enumerate(sentences[:shown]):
        yield "" if number else name, sentence
    if shown is not None and len(sentences) > shown:
        yield "", f"and {len(sentences) - shown} more; to list all: querymust status --all"


def _states(books: Mapping[str, str]) -> str:
    by_state: dict[str, list[str]] = {}
    for slug, state in books.items():
        by_state.setdefault(state, []).append(slug)
    if set(by_state) == {"indexed"}:
        return "all up to date"
    indexed = [f"{len(by_state['indexed'])} up to date"] if "indexed" in by_state else []
    others = (
        f"{len(by_state[state])} {state} ({named(by_state[state], NAMES_SHOWN)})"
        for state in ("unreadable", "changed", "new", "gone", "unknown")
        if state in by_state
    )
    return ", ".join((*indexed, *others))


def _scores(scores: Mapping[str, float | None]) -> str:
    from evals.metric_table import metric_text

    shown = (f"{name} {metric_text(name, scores[name])}" for name in SCORES_SHOWN if name in scores)
    return f"default: {', '.join(shown)}"
