"""One writer at a time in a home: an ingestion waits for its turn, whoever has it."""

import fcntl
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from retrieval.errors import VectorDBWriteError

LOCK = "building.lock"
"""The file that builds lock too; it goes with the lock, and one that a killed process left is locked by nobody."""
PATIENCE = 60.0
"""Seconds that an ingestion waits."""
_LOOK_AGAIN = 0.05


@contextmanager
def writers_turn(root: Path, patience: float = PATIENCE) -> Iterator[None]:
    """Hold the home at `root` for one writer; it is made where it is missing.

    Raises:
        VectorDBWriteError: another writer is at work for longer than that, or the home cannot be written.
    """
    path = root / LOCK
    until = time.monotonic() + patience
    try:
        root.mkdir(parents=True, exist_ok=True)
        while (descriptor := _locked(path)) is None:
            if time.monotonic() >= until:
                raise VectorDBWriteError(
                    f"another process has been writing in {root} for {patience:g} seconds; try again when it is done"
                )
            time.sleep(_LOOK_AGAIN)
    except OSError as error:
        raise VectorDBWriteError(f"the home {root} cannot be written ({error.strerror}); make it writable") from error
    try:
        yield
    finally:
        path.unlink(missing_ok=True)
        os.close(descriptor)


def _locked(path: Path) -> int | None:
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT, 0o644)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        if os.path.samestat(path.stat(), os.fstat(descriptor)):
            return descriptor
    except (BlockingIOError, FileNotFoundError):
        pass
    os.close(descriptor)  # another has it, or removed the file between our two steps
    return None
