"""The folders of snapshots: built in a temporary one, moved into place, listed, and removed."""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from shutil import rmtree
from tempfile import mkdtemp

from retrieval.files.atomic_files import make_folder, sync, sync_tree
from retrieval.index.snapshot.live import SNAPSHOTS, is_id, live_id, unread, were_live

TEMPORARY_PREFIX = ".building-"
"""Prefix of temporary folders, which a later build removes after a day without writes."""
_ABANDONED = 24 * 3600.0
"""Seconds since the last write after which a folder counts as abandoned: no build pauses for that long."""


@contextmanager
def building_folder(root: Path) -> Iterator[Path]:
    """Yield a new folder beside the home's snapshots, and remove what is left of it at the end.

    A killed build cannot remove its own folder. Each build therefore removes other builds' folders after a day without
    writes; a more recent one may belong to a running build, and is kept.
    """
    snapshots = root / SNAPSHOTS
    make_folder(snapshots)
    for other in snapshots.glob(f"{TEMPORARY_PREFIX}*"):
        if _last_written(other) < time.time() - _ABANDONED:
            rmtree(other, ignore_errors=True)
    folder = Path(mkdtemp(prefix=TEMPORARY_PREFIX, dir=snapshots))
    try:
        yield folder
    finally:
        rmtree(folder, ignore_errors=True)


def move_into_place(building: Path, final: Path) -> None:
    """Give a complete snapshot its final name, after syncing all of it to disk.

    An existing folder of that name is first renamed, and removed when the new one is in place.
    """
    building.chmod(0o755)
    sync_tree(building)
    replaced = building.with_name(f"{building.name}-replaced")
    if final.exists():
        final.replace(replaced)
    building.replace(final)
    sync(final.parent)
    rmtree(replaced, ignore_errors=True)


def _last_written(folder: Path) -> float:
    try:
        return max(path.lstat().st_mtime for path in (folder, *folder.rglob("*")))
    except OSError:
        # A file disappeared in the meantime, so a process is working there.
        return time.time()


KEPT_SNAPSHOTS = 3
"""Number of formerly live snapshots that are kept beside the live one."""


@dataclass(frozen=True, slots=True)
class StoredSnapshot:
    """A snapshot on disk. Key: id."""

    id: str
    size: int
    """Bytes."""
    why: str
    """`live`, `candidate` or `was live`; empty if there is no reason to keep it."""


def snapshots_of(home: Path, candidate: str | None, keep: int = KEPT_SNAPSHOTS) -> tuple[StoredSnapshot, ...]:
    """Return every snapshot of a home, with the reason why it is kept, in the order of their ids.

    Args:
        candidate: the newest snapshot, live or not.
        keep: number of formerly live snapshots that are kept beside the live one.

    Raises:
        IndexCorruptError: the live pointer is damaged, so it is unknown what may be removed.
    """
    live = live_id(home)
    present = {path.name: path for path in (home / SNAPSHOTS).glob("*") if path.is_dir() and is_id(path.name)}
    before = [snapshot for snapshot in were_live(home) if snapshot != live and snapshot in present][:keep]
    reasons = dict.fromkeys(before, "was live")
    reasons |= {snapshot: why for snapshot, why in ((candidate, "candidate"), (live, "live")) if snapshot is not None}
    return tuple(
        StoredSnapshot(snapshot, _size(path), reasons.get(snapshot, "")) for snapshot, path in sorted(present.items())
    )


def remove_snapshots(
    home: Path, candidate: str | None, keep: int = KEPT_SNAPSHOTS, *, pretend: bool = False
) -> tuple[StoredSnapshot, ...]:
    """Remove every snapshot that there is no reason to keep, and return the removed ones.

    The caller holds the home's lock. Snapshots that a process of this machine has open are left to a later call.

    Raises:
        IndexCorruptError: the live pointer is damaged; nothing was removed.
    """
    gone = (snapshot for snapshot in snapshots_of(home, candidate, keep) if not snapshot.why)
    return tuple(snapshot for snapshot in gone if _removed(home / SNAPSHOTS / snapshot.id, pretend=pretend))


def _removed(folder: Path, *, pretend: bool) -> bool:
    with unread(folder) as may_go:
        if may_go and not pretend:
            # Renamed first, so that readers do not take what a killed removal leaves for a snapshot.
            away = Path(mkdtemp(prefix=TEMPORARY_PREFIX, dir=folder.parent))
            folder.replace(away / folder.name)
            rmtree(away, ignore_errors=True)
        return may_go


def _size(folder: Path) -> int:
    return sum(path.lstat().st_size for path in folder.rglob("*") if path.is_file())
