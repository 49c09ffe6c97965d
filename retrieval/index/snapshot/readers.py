"""Who reads a snapshot: a shared lock on its manifest, which goes with the process. What is read is not removed."""

import fcntl
import os
import weakref
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from retrieval.errors import IndexMissingError
from retrieval.index.snapshot.manifest import MANIFEST_FILE


class ReadHold:
    """Keeps a snapshot from being removed by this machine, until it is let go or collected.

    Args:
        descriptor: of its manifest, which holds the lock.
    """

    def __init__(self, descriptor: int) -> None:
        self._let_go = weakref.finalize(self, os.close, descriptor)

    @classmethod
    def of(cls, folder: Path) -> "ReadHold | None":
        """A hold of the snapshot in a folder; None where there is no manifest, or a file system without locks.

        Raises:
            IndexMissingError: it is being removed.
        """
        try:
            descriptor = os.open(folder / MANIFEST_FILE, os.O_RDONLY | os.O_CLOEXEC)
        except OSError:
            return None
        hold = cls(descriptor)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
        except BlockingIOError as error:
            hold.let_go()
            raise IndexMissingError(f"{folder} is being removed; open the live index again") from error
        except OSError:
            hold.let_go()
            return None
        return hold

    def let_go(self) -> None:
        """Let the snapshot be removed; a second time is nothing."""
        self._let_go()


@contextmanager
def unread(folder: Path) -> Iterator[bool]:
    """Whether nobody on this machine reads a snapshot; while this goes on, nobody begins to."""
    try:
        descriptor = os.open(folder / MANIFEST_FILE, os.O_RDONLY | os.O_CLOEXEC)
    except OSError:
        yield True  # without its manifest it is no snapshot
        return
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        yield False
    except OSError:
        yield True
    else:
        yield True
    finally:
        os.close(descriptor)
