"""The folder in which a snapshot is built, under a name that no reader takes for a snapshot's."""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from shutil import rmtree
from tempfile import mkdtemp

from retrieval.index.snapshot.live import SNAPSHOTS

ABANDONED_PREFIX = ".building-"
"""Of folders that a later build removes, once nothing was written there for a day."""
_ABANDONED = 24 * 3600.0
"""Seconds since the last file was written: no build is silent for that long."""


@contextmanager
def building_folder(root: Path) -> Iterator[Path]:
    """A new folder beside the home's snapshots; what is still there at the end is removed.

    A killed build cannot remove its own. Each build therefore removes the folders of others in which nothing was
    written for a day; a younger one may belong to a build that still runs, and stays.
    """
    snapshots = root / SNAPSHOTS
    snapshots.mkdir(parents=True, exist_ok=True)
    for other in snapshots.glob(f"{ABANDONED_PREFIX}*"):
        if _last_written(other) < time.time() - _ABANDONED:
            rmtree(other, ignore_errors=True)
    folder = Path(mkdtemp(prefix=ABANDONED_PREFIX, dir=snapshots))
    try:
        yield folder
    finally:
        rmtree(folder, ignore_errors=True)


def move_into_place(building: Path, final: Path) -> None:
    """Give a complete snapshot its name. One of that name goes, but not before the other is there to follow it."""
    building.chmod(0o755)
    replaced = building.with_name(f"{building.name}-replaced")
    if final.exists():
        final.replace(replaced)
    building.replace(final)
    rmtree(replaced, ignore_errors=True)


def _last_written(folder: Path) -> float:
    try:
        return max(path.lstat().st_mtime for path in (folder, *folder.rglob("*")))
    except OSError:
        # A file went while we looked: somebody works there.
        return time.time()
