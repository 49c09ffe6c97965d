"""Several processes in one home, each in a book of its own: nobody takes the whole home, or the same book, meanwhile.

::

    <home>/books.lock         shared by runs of single books; whoever writes the whole home has it alone
    <home>/locks/<slug>       one process at a time is in a book; it says which build was last done with it
"""

import fcntl
import os
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

ALL = "books.lock"
FOLDER = "locks"
_BOOK_POLL_SECONDS = 0.2
"""Seconds between two looks of a process that waits for its turn."""


@dataclass(frozen=True, slots=True)
class BookTurn:
    """One process's turn in a book. Key: (home, slug)."""

    descriptor: int

    def was_done_by(self, build: str) -> bool:
        """Whether a process of this build was in the book before, to the end."""
        return os.pread(self.descriptor, 4096, 0) == build.encode()

    def is_done_by(self, build: str) -> None:
        """Let the other processes of this build leave the book alone."""
        os.ftruncate(self.descriptor, 0)
        os.pwrite(self.descriptor, build.encode(), 0)


@contextmanager
def book_turn(root: Path, slug: str, waiting: Callable[[str], None] = lambda _: None) -> Iterator[BookTurn]:
    """Be alone in a book of the home at `root`, as soon as nobody else is. `waiting` is told once that somebody is."""
    with _when_free(_place(root, slug), fcntl.LOCK_EX, lambda: waiting(f"waits for whoever indexes {slug}")) as found:
        yield BookTurn(found)


@contextmanager
def book_turn_now(root: Path, slug: str) -> Iterator[BookTurn | None]:
    """Be alone in a book, or None where somebody is in it."""
    with locked(_place(root, slug), fcntl.LOCK_EX) as descriptor:
        yield None if descriptor is None else BookTurn(descriptor)


def wait_until_left(root: Path, slugs: Sequence[str]) -> None:
    """Wait for the processes that a killed build left in these books: each is done with its book, and then ends."""
    for slug in slugs:
        with book_turn(root, slug):
            pass


@contextmanager
def among_books(root: Path, waiting: Callable[[str], None] = lambda _: None) -> Iterator[None]:
    """Index single books beside others who do; wait for whoever writes the whole home."""
    root.mkdir(parents=True, exist_ok=True)
    said = f"waits for whoever writes in {root}"
    with _when_free(root / ALL, fcntl.LOCK_SH, lambda: waiting(said)):
        yield


@contextmanager
def no_books(root: Path) -> Iterator[bool]:
    """Keep runs of single books out of the home at `root`; False where one is at work, which is then left alone."""
    path = root / ALL
    with locked(path, fcntl.LOCK_EX) as descriptor:
        try:
            yield descriptor is not None
        finally:
            if descriptor is not None:
                path.unlink(missing_ok=True)


@contextmanager
def locked(path: Path, how: int) -> Iterator[int | None]:
    """The descriptor that holds the file at `path`, shared or alone; None where somebody is in the way."""
    descriptor = None
    while descriptor is None:
        opened = os.open(path, os.O_RDWR | os.O_CREAT, 0o644)
        try:
            fcntl.flock(opened, how | fcntl.LOCK_NB)
        except BlockingIOError:
            os.close(opened)
            break
        if is_at(path, opened):
            descriptor = opened
        else:
            os.close(opened)  # whoever had it before removed the file between our two steps
    try:
        yield descriptor
    finally:
        if descriptor is not None:
            os.close(descriptor)


def is_at(path: Path, descriptor: int) -> bool:
    """Whether the open file is still the one at `path`."""
    try:
        return os.path.samestat(path.stat(), os.fstat(descriptor))
    except FileNotFoundError:
        return False


@contextmanager
def _when_free(path: Path, how: int, waiting: Callable[[], None]) -> Iterator[int]:
    with ExitStack() as stack:
        descriptor, is_told = stack.enter_context(locked(path, how)), False
        while descriptor is None:
            if not is_told:
                waiting()
                is_told = True
            time.sleep(_BOOK_POLL_SECONDS)
            descriptor = stack.enter_context(locked(path, how))
        yield descriptor


def _place(root: Path, slug: str) -> Path:
    folder = root / FOLDER
    folder.mkdir(parents=True, exist_ok=True)
    return folder / slug
