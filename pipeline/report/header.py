"""What the page is about: which library, which snapshot, how large, searched how."""

import shlex
from dataclasses import dataclass
from datetime import UTC, datetime

from pipeline.building.book_records import BookEntry, book_entries
from retrieval.home import Home
from retrieval.index.snapshot.live import live_id, snapshot_folder
from retrieval.index.snapshot.manifest import MANIFEST_FILE
from retrieval.index.snapshot.snapshot import Snapshot

USUAL_HOME = ".querymust"
"""A command that is typed beside a home of this name finds it without `--home`."""


@dataclass(frozen=True, slots=True)
class Header:
    """The facts above everything else. Key: snapshot."""

    library: str
    """The last two parts of its path, which say enough and name no machine."""
    books: tuple[BookEntry, ...]
    snapshot: str
    built: datetime | None
    """UTC; None on a page without times."""
    live: str | None
    """What readers got when the page was made; the snapshot itself, another one, or nothing."""
    n_chunks: int
    n_tables: int
    n_guarded_tables: int
    """Tables of which at least one row has a predicate."""
    n_guarded: int
    """Chunks with a predicate."""
    embedder: str
    question_files: tuple[str, ...]
    neighbours: str
    """A sentence: how the nearest chunks are found, and why."""
    home_option: str
    """What a command needs to find this home, quoted for a shell; empty beside a home of the usual name."""

    @property
    def is_live(self) -> bool:
        """Whether readers get this snapshot."""
        return self.live == self.snapshot


def header_of(home: Home, snapshot: Snapshot, *, times: bool) -> Header:
    """The header of a page about one snapshot of a home."""
    manifest = snapshot.manifest
    library = home.settings.library
    return Header(
        library="/".join(library.parts[-2:]) if library else "unknown",
        books=tuple(book_entries(home).values()),
        snapshot=snapshot.id,
        built=built_at(home, snapshot.id) if times else None,
        live=live_id(home.root),
        n_chunks=manifest.n_chunks,
        n_tables=manifest.n_tables,
        n_guarded_tables=len({chunk.table_id for chunk in snapshot.chunks if chunk.query_must and chunk.table_id}),
        n_guarded=manifest.n_guarded + manifest.n_keyed,
        embedder=f"{manifest.embedder.name}, {manifest.embedder.dimensions} dimensions",
        question_files=tuple(path.name for path in home.settings.questions),
        neighbours=str(snapshot.neighbour_search or "unknown, so an exact scan"),
        home_option="" if home.root.name == USUAL_HOME else f" --home {shlex.quote(str(home.root))}",
    )


def built_at(home: Home, snapshot: str) -> datetime:
    """When a snapshot was built, to the second, in UTC; of one that was deleted, when it was last scored."""
    manifest = snapshot_folder(home.root, snapshot) / MANIFEST_FILE
    rows = sorted((home.evaluations / snapshot).glob("*/*.parquet"), key=lambda path: path.stat().st_mtime)
    stamp = manifest if manifest.is_file() else rows[-1]
    return datetime.fromtimestamp(int(stamp.stat().st_mtime), UTC)
