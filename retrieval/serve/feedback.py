"""What people say of hits, a line each: nothing acts on it by itself."""

import threading
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Literal

from retrieval.records import append_record, read_kept

FEEDBACK_FILE = "feedback.jsonl"
Verdict = Literal["relevant", "irrelevant"]


@dataclass(frozen=True, slots=True)
class Feedback:
    """One word about one hit."""

    at: str
    """ISO 8601, UTC."""
    snapshot: str
    query: str
    chunk_id: str
    verdict: Verdict
    note: str = ""


def read_feedback(home: Path) -> tuple[Feedback, ...]:
    """What people said in a home, the oldest first. Raises IndexCorruptError."""
    return read_kept(home / FEEDBACK_FILE, Feedback)


class FeedbackFile:
    """Keeps feedback in a home; any number of threads and processes may write.

    Args:
        home: the home folder.
    """

    def __init__(self, home: Path) -> None:
        self._file = home / FEEDBACK_FILE
        self._writing = threading.Lock()

    def add(self, snapshot: str, query: str, chunk_id: str, verdict: Verdict, note: str) -> None:
        """Append a line; one write, so that no two lines mix."""
        now = datetime.now(UTC).isoformat(timespec="seconds")
        said = Feedback(now, snapshot, query, chunk_id, verdict, note)
        with self._writing:
            append_record(self._file, said)
