"""The questions that people asked a server, kept in its home where its owner wants that, and nowhere else."""

import threading
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from retrieval.records import append_record, read_kept

QUERIES_FILE = "asked.jsonl"


@dataclass(frozen=True, slots=True)
class AskedQuestion:
    """One question. Nothing says who asked."""

    at: str
    """ISO 8601, UTC."""
    snapshot: str
    query: str
    excluded: int | None = None
    """Chunks that a predicate kept out of its first hits; None: nobody counted."""


class QueryLog:
    """Keeps questions in a home; any number of threads and processes may write.

    Args:
        home: the home folder.
        is_on: whether anything is kept.
    """

    def __init__(self, home: Path, *, is_on: bool) -> None:
        self._file, self._is_on = home / QUERIES_FILE, is_on
        self._writing = threading.Lock()

    def add(self, snapshot: str, query: str, excluded: int | None = None) -> None:
        """Append a line where the log is on; one write, so that no two lines mix."""
        if not self._is_on:
            return
        now = datetime.now(UTC).isoformat(timespec="seconds")
        asked = AskedQuestion(now, snapshot, query, excluded)
        # A question is answered also where nothing can be kept of it.
        with suppress(OSError), self._writing:
            append_record(self._file, asked)


def asked_questions(home: Path) -> tuple[AskedQuestion, ...]:
    """What a home kept, the oldest first; nothing where no server kept any. Raises IndexCorruptError."""
    return read_kept(home / QUERIES_FILE, AskedQuestion)
