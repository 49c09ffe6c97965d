"""Logs of the server: requests, questions, feedback, metrics."""

import json
import logging
import traceback
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Literal
from uuid import uuid4

from prometheus_client import CONTENT_TYPE_LATEST, CollectorRegistry, Counter, Gauge, Histogram, generate_latest

from retrieval.files.records import append_record, read_kept

_log = logging.getLogger("retrieval.serve")


@dataclass(frozen=True, slots=True)
class RequestLog:
    """Logs requests, without the text of questions unless requested: more people may read the log than the
    questions.
    """

    questions: bool = False

    def question_in(self, body: bytes) -> dict[str, str]:
        """Return the part of a log line about a request's body."""
        if not self.questions:
            return {}
        try:
            query = json.loads(body).get("query")
        except (ValueError, AttributeError, RecursionError):
            return {}
        return {"question": query} if isinstance(query, str) else {}

    def request(self, method: str, path: str, status: int, seconds: float, told: Mapping[str, str]) -> None:
        """Log that a request was answered, or that its client has disconnected."""
        line = {"id": uuid4().hex[:12], "method": method, "path": path, "status": status}
        _log.info(json.dumps(line | {"ms": round(1000 * seconds, 1), **told}, ensure_ascii=False))

    def error(self, error: Exception) -> None:
        """Log an unexpected error. Its message may contain the question; its type and its traceback do not."""
        lines = traceback.format_exception(error) if self.questions else _without_messages(error)
        _log.error("a server error: %s", "\n".join(lines))


def _without_messages(error: BaseException) -> Iterator[str]:
    yield type(error).__name__
    yield from traceback.format_tb(error.__traceback__)
    for exception in error.exceptions if isinstance(error, BaseExceptionGroup) else ():
        yield from _without_messages(exception)


QUERIES_FILE = "asked.jsonl"


@dataclass(frozen=True, slots=True)
class AskedQuestion:
    """One question, without information about who asked it."""

    at: str
    """ISO 8601, UTC."""
    snapshot: str
    query: str
    excluded: int | None = None
    """Chunks that a predicate excluded from its first hits; None: not counted."""


class QueryLog:
    """Stores questions in a home; any number of threads and processes may write.

    Args:
        is_on: whether anything is stored.
    """

    def __init__(self, home: Path, *, is_on: bool) -> None:
        self._file, self._is_on = home / QUERIES_FILE, is_on

    def add(self, snapshot: str, query: str, excluded: int | None = None) -> None:
        """Append a line if the log is on."""
        if not self._is_on:
            return
        now = datetime.now(UTC).isoformat(timespec="seconds")
        asked_question = AskedQuestion(now, snapshot, query, excluded)
        # A question is answered even if it cannot be stored.
        with suppress(OSError):
            append_record(self._file, asked_question)


def asked_questions(home: Path) -> tuple[AskedQuestion, ...]:
    """Return the questions stored in a home, oldest first; empty if no server stored any. Raises IndexCorruptError."""
    return read_kept(home / QUERIES_FILE, AskedQuestion)


FEEDBACK_FILE = "feedback.jsonl"
Verdict = Literal["relevant", "irrelevant"]


@dataclass(frozen=True, slots=True)
class Feedback:
    """One rating of one hit."""

    at: str
    """ISO 8601, UTC."""
    snapshot: str
    query: str
    chunk_id: str
    verdict: Verdict
    note: str = ""


def read_feedback(home: Path) -> tuple[Feedback, ...]:
    """Return the feedback stored in a home, oldest first. Raises IndexCorruptError."""
    return read_kept(home / FEEDBACK_FILE, Feedback)


class FeedbackFile:
    """Stores feedback in a home; any number of threads and processes may write."""

    def __init__(self, home: Path) -> None:
        self._file = home / FEEDBACK_FILE

    def add(self, snapshot: str, query: str, chunk_id: str, verdict: Verdict, note: str) -> None:
        """Append a line."""
        now = datetime.now(UTC).isoformat(timespec="seconds")
        append_record(self._file, Feedback(now, snapshot, query, chunk_id, verdict, note))


TEXT_TYPE = CONTENT_TYPE_LATEST
_SECONDS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0)


class Measuring:
    """Metrics of one process."""

    def __init__(self) -> None:
        self._registry = CollectorRegistry()
        labels = ("method", "route", "status")
        self._requests = Counter("querymust_requests", "Requests that were answered.", labels, registry=self._registry)
        self._seconds = Histogram(
            "querymust_request_seconds",
            "Until the last byte of an answer was sent.",
            ("route",),
            buckets=_SECONDS,
            registry=self._registry,
        )
        self._open = Gauge("querymust_requests_open", "Requests that are being answered.", registry=self._registry)
        self._excluded = Counter(
            "querymust_chunks_excluded", "Chunks that query_must kept out of the first k.", registry=self._registry
        )

    def begun(self) -> None:
        """Count a request that has begun."""
        self._open.inc()

    def ended(self, method: str, route: str, status: int, seconds: float) -> None:
        """Count a request that was answered, or whose client has disconnected."""
        self._open.dec()
        self._requests.labels(method, route, str(status)).inc()
        self._seconds.labels(route).observe(seconds)

    def kept_out(self, count: int) -> None:
        """Count chunks that a predicate excluded from one search."""
        self._excluded.inc(count)

    def text(self) -> bytes:
        """Return the metrics in the exposition format."""
        return generate_latest(self._registry)
