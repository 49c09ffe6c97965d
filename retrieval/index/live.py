"""The pointer to the snapshot that readers get: one small file, replaced at once."""

import os
from pathlib import Path

from retrieval.errors import IndexMissingError
from retrieval.index.manifest import FILE_NAME

POINTER = "live"
SNAPSHOTS = "snapshots"


def snapshot_folder(home: Path, snapshot_id: str) -> Path:
    """Where a snapshot lies, whether or not it exists."""
    return home / SNAPSHOTS / snapshot_id


def live_id(home: Path) -> str | None:
    """Id of the live snapshot, or None before the first promotion."""
    pointer = home / POINTER
    return pointer.read_text(encoding="ascii").strip() if pointer.is_file() else None


def promote(home: Path, snapshot_id: str) -> None:
    """Make a snapshot live. Readers see the old one or the new one, never a mixture.

    Raises:
        IndexMissingError: there is no complete snapshot of that id.
    """
    if not (snapshot_folder(home, snapshot_id) / FILE_NAME).is_file():
        raise IndexMissingError(f"{home} has no complete snapshot {snapshot_id!r}; build it first")
    partial = home / f".{POINTER}.{os.getpid()}.partial"
    partial.write_text(snapshot_id + "\n", encoding="ascii")
    partial.replace(home / POINTER)
