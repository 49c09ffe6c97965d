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
    """Writes no text of a question unless asked: a log is read by more people than may read what was asked.

    Args:
        questions: whether it is asked for.
    """

    questions: bool = False

    def question_in(self, body: bytes) -> dict[str, str]:
        """What a line tells of a request's body."""
        if not self.questions:
            return {}
        try:
            query = json.loads(body).get("query")
        except (ValueError, AttributeError, RecursionError):
            return {}
        return {"question": query} if isinstance(query, str) else {}

    def request(self, method: str, path: str, status: int, seconds: float, told: Mapping[str, str]) -> None:
        """A request was answered, or its client is gone."""
        line = {"id": uuid4().hex[:12], "method": method, "path": path, "status": status}
        _log.info(json.dumps(line | {"ms": round(1000 * seconds, 1), **told}, ensure_ascii=False))

    def error(self, error: Exception) -> None:
        """Something broke. Its message may say what was asked; its kind and its places do not."""
        lines = traceback.format_exception(error) if self.questions else _without_messages(error)
        _log.error("an error of the server: %s", "\n".join(lines))


def _without_messages(error: BaseException) -> Iterator[str]:
    yield type(error).__name__
    yield from traceback.format_tb(error.__traceback__)
    for exception in error.exceptions if isinstance(error, BaseExceptionGroup) else ():
        yield from _without_messages(exception)


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

    def add(self, snapshot: str, query: str, excluded: int | None = None) -> None:
        """Append a line where the log is on."""
        if not self._is_on:
            return
        now = datetime.now(UTC).isoformat(timespec="seconds")
        asked_question = AskedQuestion(now, snapshot, query, excluded)
        # A question is answered also where nothing can be kept of it.
        with suppress(OSError):
            append_record(self._file, asked_question)


def asked_questions(home: Path) -> tuple[AskedQuestion, ...]:
    """What a home kept, the oldest first; nothing where no server kept any. Raises IndexCorruptError."""
    return read_kept(home / QUERIES_FILE, AskedQuestion)


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

    def add(self, snapshot: str, query: str, chunk_id: str, verdict: Verdict, note: str) -> None:
        """Append a line."""
        now = datetime.now(UTC).isoformat(timespec="seconds")
        append_record(self._file, Feedback(now, snapshot, query, chunk_id, verdict, note))


TEXT_TYPE = CONTENT_TYPE_LATEST
_SECONDS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0)


class Measuring:
    """Counters of one process."""

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
        """A request came."""
        self._open.inc()

    def ended(self, method: str, route: str, status: int, seconds: float) -> None:
        """A request was answered, or its client is gone."""
        self._open.dec()
        self._requests.labels(method, route, str(status)).inc()
        self._seconds.labels(route).observe(seconds)

    def kept_out(self, count: int) -> None:
        """Chunks of one search that a predicate kept out."""
        self._excluded.inc(count)

    def text(self) -> bytes:
        """The exposition format."""
        return generate_latest(self._registry)
