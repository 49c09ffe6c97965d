"""Locks of a home: one writer, or several processes with a book each.

Runs that index single books share the home with each other, but not with a writer.
"""

import fcntl
import os
import socket
import sys
import time
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from math import inf
from pathlib import Path

from pydantic import ValidationError

from retrieval.errors import RetrievalError
from retrieval.files.atomic_files import make_folder
from retrieval.files.records import dump_record, parse_record

ALL = "books.lock"
FOLDER = "locks"
_BOOK_POLL_SECONDS = 0.2
"""Seconds between two attempts of a waiting process."""


@dataclass(frozen=True, slots=True)
class BookTurn:
    """The exclusive use of a book by one process. Key: (home, slug)."""

    descriptor: int

    def was_done_by(self, build: str) -> bool:
        """Whether a process of this build has already completed the book."""
        return os.pread(self.descriptor, 4096, 0) == build.encode()

    def mark_done_by(self, build: str) -> None:
        """Mark the book as completed for the other processes of this build."""
        os.ftruncate(self.descriptor, 0)
        os.pwrite(self.descriptor, build.encode(), 0)


@contextmanager
def book_turn(root: Path, slug: str, waiting: Callable[[str], None] = lambda _: None) -> Iterator[BookTurn]:
    """Yield the exclusive use of a book of the home at `root`, waiting for it; `waiting` is called once if needed."""
    with locked_when_free(
        _lock_file(root, slug), fcntl.LOCK_EX, lambda: waiting(f"waiting for the process that indexes {slug}")
    ) as descriptor:
        yield BookTurn(descriptor)


@contextmanager
def book_turn_now(root: Path, slug: str) -> Iterator[BookTurn | None]:
    """Yield the exclusive use of a book, or None if another process uses it."""
    with locked(_lock_file(root, slug), fcntl.LOCK_EX) as descriptor:
        yield None if descriptor is None else BookTurn(descriptor)


def wait_until_left(root: Path, slugs: Sequence[str]) -> None:
    """Wait for processes of a killed build in these books, each of which ends after its book."""
    for slug in slugs:
        with book_turn(root, slug):
            pass


@contextmanager
def among_books(root: Path, waiting: Callable[[str], None] = lambda _: None) -> Iterator[None]:
    """Hold the home for indexing single books, together with others, waiting for a writer of the whole home."""
    root.mkdir(parents=True, exist_ok=True)
    message = f"waiting for the process that writes in {root}"
    with locked_when_free(root / ALL, fcntl.LOCK_SH, lambda: waiting(message)):
        yield


@contextmanager
def no_books(root: Path) -> Iterator[bool]:
    """Yield True and exclude runs of single books from the home at `root`; yield False if one is running."""
    path = root / ALL
    with locked(path, fcntl.LOCK_EX) as descriptor:
        try:
            yield descriptor is not None
        finally:
            if descriptor is not None:
                path.unlink(missing_ok=True)


@contextmanager
def locked(path: Path, how: int) -> Iterator[int | None]:
    """Yield the descriptor that locks the file at `path`, shared or exclusively; None if it is already locked."""
    descriptor = _locked_now(path, how)
    try:
        yield descriptor
    finally:
        if descriptor is not None:
            os.close(descriptor)


def _locked_now(path: Path, how: int) -> int | None:
    """Return the descriptor that locks the file at `path`; None if another process has locked it."""
    while True:
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT, 0o644)
        try:
            fcntl.flock(descriptor, how | fcntl.LOCK_NB)
        except BlockingIOError:
            os.close(descriptor)
            return None
        if is_at(path, descriptor):
            return descriptor
        os.close(descriptor)  # the previous holder removed the file between our two steps


def is_at(path: Path, descriptor: int) -> bool:
    """Whether the open file is still the one at `path`."""
    try:
        return os.path.samestat(path.stat(), os.fstat(descriptor))
    except FileNotFoundError:
        return False


@contextmanager
def locked_when_free(path: Path, how: int, waiting: Callable[[], None] = lambda: None) -> Iterator[int]:
    """Like `locked`, but wait until it is free; `waiting` is called once if needed."""
    with ExitStack() as stack:
        descriptor, is_told = stack.enter_context(locked(path, how)), False
        while descriptor is None:
            if not is_told:
                waiting()
                is_told = True
            time.sleep(_BOOK_POLL_SECONDS)
            descriptor = stack.enter_context(locked(path, how))
        yield descriptor


def _lock_file(root: Path, slug: str) -> Path:
    folder = root / FOLDER
    folder.mkdir(parents=True, exist_ok=True)
    return folder / slug


_RUNS = "_runs"
"""Folder of the marks of runs; no book can have this slug."""
RUN_PAUSE = 120.0
"""Seconds for which a run may be without a process: one of its processes has ended and the next has not started, or its
end has not been recorded yet."""


@contextmanager
def alive(root: Path, run_id: str) -> Iterator[None]:
    """Mark a run as alive as long as this process is; several processes of a run can do so at once."""
    path = root / FOLDER / _RUNS / run_id
    path.parent.mkdir(parents=True, exist_ok=True)
    with locked_when_free(path, fcntl.LOCK_SH):
        try:
            yield
        finally:
            with suppress(FileNotFoundError):
                os.utime(path)


def killed_runs(root: Path, unfinished: Collection[str]) -> tuple[str, ...]:
    """Return which of the unfinished runs were marked as alive by processes that are gone, and forget finished runs."""
    killed = []
    for path in sorted((root / FOLDER / _RUNS).glob("*")):
        with locked(path, fcntl.LOCK_EX) as descriptor:
            if descriptor is None or time.time() - os.fstat(descriptor).st_mtime < RUN_PAUSE:
                continue
            if path.name in unfinished:
                killed.append(path.name)
            else:
                path.unlink(missing_ok=True)
    return tuple(killed)


LOCK_FILE = "building.lock"
_ATTEMPTS, _PAUSE = 5, 0.05
"""Attempts and the pause between them, because `holder` also takes the lock for a moment."""
_ORPHANED = 10.0
"""Seconds within which the workers of a killed process notice it and end."""


_POLL_SECONDS = 1.0
"""Seconds between two attempts of a waiting process."""


class HomeBusyError(RetrievalError):
    """Raised if another process writes in this home; the message names it."""


class HomeUnwritableError(RetrievalError):
    """Raised if this process cannot write in this home."""

    def __init__(self, root: Path, reason: str | None) -> None:
        self.root, self.reason = root, reason
        super().__init__(f"the home {root} cannot be written ({reason}); make it writable, or name another with --home")


@dataclass(frozen=True, slots=True)
class Holder:
    """The process that writes in a home."""

    pid: int
    """Id of the process to stop; its workers stop with it."""
    host: str
    since: datetime
    command: str

    @classmethod
    def here(cls) -> "Holder":
        """Return this process, with the current time."""
        command = " ".join([Path(sys.argv[0]).name, *sys.argv[1:]])
        return cls(os.getpid(), socket.gethostname(), datetime.now(UTC).replace(microsecond=0), command)

    def __str__(self) -> str:
        """Return `process 1234, since 14:02`, with the date unless it is today, and with the host if it is another."""
        since, now = self.since.astimezone(), datetime.now().astimezone()
        when = f"{since:%H:%M}" if since.date() == now.date() else f"{since:%Y-%m-%d %H:%M}"
        host = "" if self.host == socket.gethostname() else f" on {self.host}"
        return f"process {self.pid}{host}, since {when}"


@contextmanager
def write_lock(root: Path) -> Iterator[int]:
    """Lock the home at `root` for one writer, and yield the descriptor that holds the lock.

    A child that inherits the descriptor also holds the lock: the home is free when the last of them has ended. The file
    is removed with the lock; one that a killed process left is not locked.

    Raises:
        HomeBusyError: another process holds it.
        HomeUnwritableError: the home cannot be created or written.
    """
    path = root / LOCK_FILE
    try:
        is_new = not root.exists()
        make_folder(root)
        descriptor = _locked(path)
    except OSError as error:
        raise HomeUnwritableError(root, error.strerror) from error
    try:
        with _without_books(root):
            try:
                os.ftruncate(descriptor, 0)
                os.pwrite(descriptor, dump_record(Holder.here()) + b"\n", 0)
            except OSError as error:
                raise HomeUnwritableError(root, error.strerror) from error
            yield descriptor
    finally:
        path.unlink(missing_ok=True)
        os.close(descriptor)
        if is_new:
            with suppress(OSError):  # the folder remains if anything was built in it
                root.rmdir()


@contextmanager
def write_lock_when_free(
    root: Path, waiting: Callable[[str], None] = lambda _: None, *, patience: float = inf, pause: float = _POLL_SECONDS
) -> Iterator[int]:
    """Like `write_lock`, but wait for another writer.

    Args:
        waiting: called once with a sentence about the process that it waits for.
        patience: most seconds to wait.
        pause: seconds between two attempts.

    Raises:
        HomeBusyError: it is still locked after that time.
        HomeUnwritableError: the home cannot be created or written.
    """
    until = time.monotonic() + patience
    with ExitStack() as stack:
        descriptor, told = None, False
        while descriptor is None:
            try:
                descriptor = stack.enter_context(write_lock(root))
            except HomeBusyError:
                if time.monotonic() >= until:
                    raise
                if not told:
                    waiting(f"waiting for {holder(root) or 'another process'}, which is running in {root}")
                    told = True
                time.sleep(pause)
        yield descriptor


def holder(root: Path) -> Holder | None:
    """Return the process that writes in the home at `root`, or None."""
    try:
        descriptor = os.open(root / LOCK_FILE, os.O_RDONLY)
    except FileNotFoundError:
        return None
    try:
        fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        with suppress(ValidationError):
            return parse_record(os.pread(descriptor, 65_536, 0), Holder)
    finally:
        os.close(descriptor)
    return None


@contextmanager
def _without_books(root: Path) -> Iterator[None]:
    with ExitStack() as stack:
        try:
            is_alone = stack.enter_context(no_books(root))
        except OSError as error:
            raise HomeUnwritableError(root, error.strerror) from error
        if not is_alone:
            raise HomeBusyError(f"runs that index single books are active in {root}; wait for them, or stop them")
        yield


def _locked(path: Path) -> int:
    until, attempts = time.monotonic() + _ORPHANED, 0
    while attempts < _ATTEMPTS or (time.monotonic() < until and _is_orphaned(path.parent)):
        if attempts:
            time.sleep(_PAUSE)
        attempts += 1
        if (descriptor := _locked_now(path, fcntl.LOCK_EX)) is not None:
            return descriptor
    who = holder(path.parent)
    of_whom = f" ({who})" if who else ""
    raise HomeBusyError(f"another build{of_whom} is running in {path.parent}; wait for it, or stop it")


def _is_orphaned(root: Path) -> bool:
    """Whether the process that locked the home has ended, but its workers have not noticed yet."""
    who = holder(root)
    if who is None or who.host != socket.gethostname():
        return False
    try:
        os.kill(who.pid, 0)
    except ProcessLookupError:
        return True
    except PermissionError:
        pass
    return False
