"""The pointer to the snapshot that readers get: one small file, replaced at once."""

import re
from contextlib import closing
from pathlib import Path

from retrieval.atomic_files import write_atomically
from retrieval.errors import IndexCorruptError, IndexMissingError
from retrieval.index.milvus.server import MilvusServer
from retrieval.index.milvus.store import MilvusStore
from retrieval.index.snapshot.live_history import Promotion, promotions, remember, were_live
from retrieval.index.snapshot.manifest import MANIFEST_FILE, Manifest
from retrieval.settings import Settings

POINTER = "live"
SNAPSHOTS = "snapshots"

_ID = re.compile(r"[0-9a-f]{16}")


def is_id(name: str) -> bool:
    """Whether a snapshot could have this id."""
    return _ID.fullmatch(name) is not None


def snapshot_folder(home: Path, snapshot_id: str) -> Path:
    """Where a snapshot is kept, whether or not it exists; always a folder right under `snapshots/`.

    Raises:
        IndexMissingError: no snapshot could have that id.
    """
    if not is_id(snapshot_id):
        raise IndexMissingError(
            f"{home} has no snapshot {snapshot_id!r}: an id is 16 hexadecimal digits; "
            f"take the name of a folder in {home / SNAPSHOTS}"
        )
    return home / SNAPSHOTS / snapshot_id


def live_id(home: Path) -> str | None:
    """Id of the live snapshot, or None before the first promotion.

    Raises:
        IndexCorruptError: the pointer holds no id.
    """
    pointer = home / POINTER
    if not pointer.is_file():
        return None
    content = pointer.read_bytes()
    # Bytes that are not ASCII are not an id either: the pattern decides about all of them.
    found = content.decode("ascii", "replace").strip()
    if not is_id(found):
        raise IndexCorruptError(f"{pointer} names no snapshot ({content[:40]!r}); delete it and build the index again")
    return found


def standing_id(home: Path) -> str | None:
    """Id of the live snapshot; where the pointer is gone or damaged, of the one that was live last and is there.

    For writers, who would else begin with nothing and lose what was there. A reader is told instead.
    """
    present = (each for each in were_live(home) if snapshot_folder(home, each).is_dir())
    return _before(home) or next(present, None)


def is_live(home: Path, snapshot_id: str) -> bool:
    """Whether the pointer names this snapshot; a damaged one names none."""
    return _before(home) == snapshot_id


def promote(home: Path, snapshot_id: str, how: str = "build", forced: str | None = None) -> None:
    """Make a snapshot live. Readers see the old one or the new one, never a mixture.

    Args:
        home: the home folder; the caller holds its lock.
        snapshot_id: what goes live.
        how: what the history says of it, where it was not live already.
        forced: why it goes live although its scores refuse it; the history keeps that even of what is live already.

    Raises:
        IndexMissingError: there is no complete snapshot of that id, or the Milvus server that the settings name has not
            all of it.
        IndexCorruptError: what is there is another one, or cannot be read.
    """
    folder = snapshot_folder(home, snapshot_id)
    if not (folder / MANIFEST_FILE).is_file():
        raise IndexMissingError(f"{home} has no complete snapshot {snapshot_id!r}; build it first")
    _point_alias(home, Manifest.read(folder), how)
    before = _before(home)
    write_atomically(home / POINTER, snapshot_id + "\n")
    if before != snapshot_id or forced is not None:
        begun = [Promotion.now(before, "before")] if before and not promotions(home) else []
        remember(home, *begun, Promotion.now(snapshot_id, how, forced))


def _point_alias(home: Path, manifest: Manifest, how: str) -> None:
    """Point the alias of the Milvus server at the snapshot, which has to be whole there.

    Who pulls a snapshot reads what another builds there, and moves nothing.
    """
    server = MilvusServer.of(Settings.read(home).store, manifest.id)
    if server is None or how == "pull":
        return
    with closing(MilvusStore(server)) as store:
        count = store.count()
        if count != manifest.n_chunks:
            raise IndexMissingError(
                f"the Milvus server at {server.uri} holds {count or 0} of the {manifest.n_chunks} chunks of snapshot "
                f"{manifest.id}; build again with the same `store`, which fills it"
            )
        store.go_live()


def _before(home: Path) -> str | None:
    try:
        return live_id(home)
    except IndexCorruptError:
        return None  # a damaged pointer is fixed by this very promotion
