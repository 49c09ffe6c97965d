"""Which snapshots were live, and since when: a line for every time the pointer moved."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from pydantic import ValidationError

from retrieval.atomic_files import write_atomically
from retrieval.records import dump_record, parse_record

HISTORY_FILE = "live.jsonl"


@dataclass(frozen=True, slots=True)
class Promotion:
    """One move of the pointer. Key: at."""

    snapshot: str
    at: datetime
    how: str
    """`build`, `rollback`, `pull`, or `push` in the history of a place; `before` for what was live when this began."""
    forced: str | None = None
    """Why it went live past scores that refused it; None: nothing refused it."""

    @classmethod
    def now(cls, snapshot: str, how: str, forced: str | None = None) -> "Promotion":
        """A move that is being made."""
        return cls(snapshot, datetime.now(UTC).replace(microsecond=0), how, forced)

    @property
    def by_hand(self) -> bool:
        """Whether a person chose it, against what a build or its scores had said."""
        return self.how == "rollback" or self.forced is not None


def promotions(home: Path) -> tuple[Promotion, ...]:
    """Every move, the oldest first; a line that cannot be read is left out."""
    try:
        content = (home / HISTORY_FILE).read_bytes()
    except FileNotFoundError:
        return ()
    return read_promotions(content)


def read_promotions(content: bytes) -> tuple[Promotion, ...]:
    """Every move in the lines of a history, the oldest first; a line that cannot be read is left out."""
    found = []
    for line in content.splitlines():
        try:
            found.append(parse_record(line, Promotion))
        except ValidationError:
            continue
    return tuple(found)


def remember(home: Path, *moves: Promotion) -> None:
    """Add moves to the history; what is there stays as it is."""
    write_atomically(home / HISTORY_FILE, dump_promotions((*promotions(home), *moves)))


def dump_promotions(moves: Iterable[Promotion]) -> bytes:
    """The lines of a history."""
    return b"".join(dump_record(move) + b"\n" for move in moves)


def were_live(home: Path) -> tuple[str, ...]:
    """Every snapshot that ever was live, each once, the one that was it last first."""
    return tuple(dict.fromkeys(move.snapshot for move in reversed(promotions(home))))


def live_since_choice(home: Path) -> tuple[str, ...]:
    """Every snapshot that was live since a person last chose one, that one included; the one that was it last first.

    What was live before is not a measure of what comes after: a person has decided against it.
    """
    moves = promotions(home)
    chosen = max((place for place, move in enumerate(moves) if move.by_hand), default=0)
    return tuple(dict.fromkeys(move.snapshot for move in reversed(moves[chosen:])))
