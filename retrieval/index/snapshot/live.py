"""The live snapshot: its pointer, its history and its readers."""

import fcntl
import os
import re
import weakref
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from pydantic import ValidationError

from retrieval.errors import IndexCorruptError, IndexMissingError
from retrieval.files.atomic_files import write_atomically
from retrieval.files.records import dump_record, parse_record
from retrieval.index.snapshot.manifest import MANIFEST_FILE, Manifest

HISTORY_FILE = "live.jsonl"


@dataclass(frozen=True, slots=True)
class Promotion:
    """One move of the live pointer to a snapshot. Key: at."""

    snapshot: str
    at: datetime
    how: str
    """`build`, `nightly`, `rollback`, `pull`, or `push` in the history of a place; `before` for the snapshot that was
    live when the history began."""
    forced: str | None = None
    """The reason why it went live although its scores refused it; None if nothing refused it."""

    @classmethod
    def now(cls, snapshot: str, how: str, forced: str | None = None) -> "Promotion":
        """Return a move at this moment."""
        return cls(snapshot, datetime.now(UTC).replace(microsecond=0), how, forced)

    @property
    def by_hand(self) -> bool:
        """Whether a person chose it, against the decision of a build or its scores."""
        return self.how == "rollback" or self.forced is not None


def promotions(home: Path) -> tuple[Promotion, ...]:
    """Return every move, the oldest first; unreadable lines are skipped."""
    try:
        content = (home / HISTORY_FILE).read_bytes()
    except FileNotFoundError:
        return ()
    return read_promotions(content)


def read_promotions(content: bytes) -> tuple[Promotion, ...]:
    """Return every move in the lines of a history, the oldest first; unreadable lines are skipped."""
    promotions = []
    for line in content.splitlines():
        try:
            promotions.append(parse_record(line, Promotion))
        except ValidationError:
            continue
    return tuple(promotions)


def remember(home: Path, *moves: Promotion) -> None:
    """Append moves to the history."""
    write_atomically(home / HISTORY_FILE, dump_promotions((*promotions(home), *moves)))


def dump_promotions(moves: Iterable[Promotion]) -> bytes:
    """Return the lines of a history."""
    return b"".join(dump_record(move) + b"\n" for move in moves)


def were_live(home: Path) -> tuple[str, ...]:
    """Return every snapshot that was ever live, each once, the most recent first."""
    return tuple(dict.fromkeys(move.snapshot for move in reversed(promotions(home))))


def live_since_choice(home: Path) -> tuple[str, ...]:
    """Return the snapshots that were live since a person last chose one, that one included, the most recent first.

    Earlier snapshots are not a standard for later ones, because a person decided against them.
    """
    moves = promotions(home)
    chosen = max((position for position, move in enumerate(moves) if move.by_hand), default=0)
    return tuple(dict.fromkeys(move.snapshot for move in reversed(moves[chosen:])))


POINTER = "live"
SNAPSHOTS = "snapshots"

_ID = re.compile(r"[0-9a-f]{16}")


def is_id(name: str) -> bool:
    """Whether a name has the form of a snapshot's id."""
    return _ID.fullmatch(name) is not None


def snapshot_folder(home: Path, snapshot_id: str) -> Path:
    """Return the folder of a snapshot, whether or not it exists; always directly under `snapshots/`.

    Raises:
        IndexMissingError: the id does not have the form of a snapshot's id.
    """
    if not is_id(snapshot_id):
        raise IndexMissingError(
            f"{home} has no snapshot {snapshot_id!r}: an id is 16 hexadecimal digits; "
            f"take the name of a folder in {home / SNAPSHOTS}"
        )
    return home / SNAPSHOTS / snapshot_id


def live_id(home: Path) -> str | None:
    """Return the id of the live snapshot, or None before the first promotion.

    Raises:
        IndexCorruptError: the pointer does not contain an id.
    """
    pointer = home / POINTER
    if not pointer.is_file():
        return None
    content = pointer.read_bytes()
    # Bytes that are not ASCII are not an id either: the pattern rejects them too.
    snapshot_id = content.decode("ascii", "replace").strip()
    if not is_id(snapshot_id):
        raise IndexCorruptError(f"{pointer} names no snapshot ({content[:40]!r}); delete it and build the index again")
    return snapshot_id


def standing_id(home: Path) -> str | None:
    """Return the id of the live snapshot; if the pointer is missing or damaged, of the last live one that still exists.

    For writers, which would otherwise begin with nothing and lose existing data. Readers get an error instead.
    """
    present = (snapshot for snapshot in were_live(home) if snapshot_folder(home, snapshot).is_dir())
    return pointed_id(home) or next(present, None)


def is_live(home: Path, snapshot_id: str) -> bool:
    """Whether the pointer names this snapshot; a damaged pointer names none."""
    return pointed_id(home) == snapshot_id


def promote(home: Path, snapshot_id: str, how: str = "build", forced: str | None = None) -> None:
    """Make a snapshot live. Readers see the old one or the new one, never a mixture.

    Args:
        home: the home folder; the caller holds its lock.
        snapshot_id: the snapshot that goes live.
        how: how it went live, for the history; not recorded if it already was live.
        forced: why it goes live although its scores refuse it; recorded even if it already was live.

    Raises:
        IndexMissingError: there is no complete snapshot of that id.
        IndexCorruptError: the folder contains another snapshot, or cannot be read.
    """
    folder = snapshot_folder(home, snapshot_id)
    if not (folder / MANIFEST_FILE).is_file():
        raise IndexMissingError(f"{home} has no complete snapshot {snapshot_id!r}; build it first")
    Manifest.read(folder)
    before = pointed_id(home)
    write_atomically(home / POINTER, snapshot_id + "\n")
    if before != snapshot_id or forced is not None:
        begun = [Promotion.now(before, "before")] if before and not promotions(home) else []
        remember(home, *begun, Promotion.now(snapshot_id, how, forced))


def pointed_id(home: Path) -> str | None:
    """Return the id of the live snapshot; None if the pointer is missing or damaged, which the next promotion fixes."""
    try:
        return live_id(home)
    except IndexCorruptError:
        return None


class ReadHold:
    """A lock that prevents this machine from removing a snapshot, until it is released or garbage-collected.

    Args:
        descriptor: of its manifest, which holds the lock.
    """

    def __init__(self, descriptor: int) -> None:
        self._let_go = weakref.finalize(self, os.close, descriptor)

    @classmethod
    def of(cls, folder: Path) -> "ReadHold | None":
        """Return a hold on the snapshot in a folder; None without a manifest, or on a file system without locks.

        Raises:
            IndexMissingError: the snapshot is being removed.
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
        """Release the hold, so that the snapshot may be removed. May be called more than once."""
        self._let_go()


@contextmanager
def unread(folder: Path) -> Iterator[bool]:
    """Yield whether no process of this machine reads a snapshot; if so, none can open it within the block."""
    try:
        descriptor = os.open(folder / MANIFEST_FILE, os.O_RDONLY | os.O_CLOEXEC)
    except OSError:
        yield True  # a folder without a manifest is not a snapshot
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
