"""`querymust export`: the live index as artifact tables, embedded or on a MongoDB server, or as files."""

from __future__ import annotations

from contextlib import closing, contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from pipeline.commands.options import DEFAULT_HOME, HomeOption, JsonOption
from pipeline.console.output import counted, out, print_json, progress_bar

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from retrieval.artifacts.mongo_store import MongoStore
    from retrieval.artifacts.store import ArtifactStore
    from retrieval.export.projection import Choice, ExportCounts, Projection

RulesetOption = Annotated[str | None, typer.Option("--ruleset", help="Only books of this ruleset_id.")]
BookOption = Annotated[str | None, typer.Option("--book", help="Only this book: the name of its folder, or its slug.")]
StoreMongodbOption = Annotated[
    bool, typer.Option("--store-mongodb", help="Write to the MongoDB database in QUERYMUST_MONGO_URI.")
]


def export(
    folder: Annotated[
        Path | None,
        typer.Argument(metavar="[FOLDER]", help="Folder to write files to.", show_default=False, file_okay=False),
    ] = None,
    home: HomeOption = DEFAULT_HOME,
    ruleset: RulesetOption = None,
    book: BookOption = None,
    store_mongodb: StoreMongodbOption = False,
    json_: JsonOption = False,
) -> None:
    """Export the live index for other programs: chunks, vectors, graph and traversal configs as tables or files.

    Writes to `artifacts.sqlite` in the home, unless a folder or --store-mongodb is given. All records are made from
    the snapshot, so that the same snapshot gives the same records. Books that are no longer in it are removed.

    \b
    Examples:
      querymust export
      querymust export --store-mongodb
      querymust export Rules --ruleset lantern-and-blade-1 --book lantern-and-blade
    """
    from retrieval.artifacts.sqlite_store import SqliteStore
    from retrieval.home import Home

    root = Home.at(home)
    choice = chosen(ruleset, book)
    written: dict[str, ExportCounts] = {}
    files: Sequence[Path] = ()
    with projected(root.root) as projection:
        choice.of(projection.books)  # before a file or a folder is created for a book that does not exist
        if store_mongodb:
            with closing(mongodb()) as server:
                written[server.name] = write(projection, server, choice)
        if folder is not None:
            from retrieval.export.loading import write_legacy_files

            files = write_legacy_files(projection, folder.expanduser(), choice)
        if folder is None and not store_mongodb:
            with closing(SqliteStore(root.artifacts, create=True)) as store:
                written[str(store.path)] = write(projection, store, choice)
    if json_:
        print_json(
            {"stores": {name: _record(counts) for name, counts in written.items()}, "files": list(map(str, files))}
        )
        return
    for name, counts in written.items():
        print_written(name, counts)
    if files:
        out.print(f"{folder}: {counted(len(files), 'file')}")


def chosen(ruleset: str | None, book: str | None) -> Choice:
    """Return the books that the options select; a book can be given by the name of its folder.

    Raises:
        LibraryError: no book can have this name.
    """
    from retrieval.export.projection import Choice
    from retrieval.ingest.library.slugs import slugify

    return Choice(ruleset, slugify(book) if book is not None else None)


def mongodb() -> MongoStore:
    """Return the store that the environment names.

    Raises:
        UnreadableSettingsError: it names no store.
        StoreUnavailableError: the server cannot be reached, or its client is not installed.
    """
    from retrieval.artifacts.mongo_store import MongoStore

    return MongoStore.open()


@contextmanager
def projected(root: Path) -> Iterator[Projection]:
    """Return the artifacts of the live index in the home at `root`.

    Raises:
        NothingLiveError: no index is live there.
    """
    from retrieval.export.projection import Projection
    from retrieval.index.snapshot.snapshot import open_snapshot

    with open_snapshot(root) as snapshot:
        yield Projection(snapshot)


def write(projection: Projection, store: ArtifactStore, choice: Choice) -> ExportCounts:
    """Write the selected books, and show the progress."""
    from retrieval.export.projection import write_artifacts

    with progress_bar("export") as bar:
        return write_artifacts(projection, store, choice, bar)


def print_written(name: str, written: ExportCounts) -> None:
    """Print what a store now contains."""
    chunks, edges = (sum(getattr(entry, field) for entry in written.entries) for field in ("n_chunks", "n_edges"))
    what = f"{counted(len(written.entries), 'book')}, {counted(chunks, 'chunk')}, {counted(edges, 'edge')}"
    out.print(f"{name}: {what} of {written.run_id}")
    for book in written.removed:
        out.print(f"removed {book.ruleset_id}/{book.book_id}, which is no longer in the library")


def _record(written: ExportCounts) -> dict[str, object]:
    return {
        "run_id": written.run_id,
        "books": [asdict(entry) | {"created_at": entry.created_at.isoformat()} for entry in written.entries],
        "removed": [removed._asdict() for removed in written.removed],
        "rulesets": list(written.rulesets),
    }
