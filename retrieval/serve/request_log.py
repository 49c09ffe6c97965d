"""The log of a server: a line of JSON for each request, and errors that nobody foresaw."""

import json
import logging
import traceback
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from uuid import uuid4

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
            asked = json.loads(body).get("query")
        except (ValueError, AttributeError, RecursionError):
            return {}
        return {"question": asked} if isinstance(asked, str) else {}

    def request(self, method: str, path: str, status: int, seconds: float, told: Mapping[str, str]) -> None:
        """A request was answered, or its client is gone."""
        line = {"id": uuid4().hex[:12], "method": method, "path": path, "status": status}
        _log.info(json.dumps(line | {"ms": round(1000 * seconds, 1), **told}, ensure_ascii=False))

    def error(self, error: Exception) -> None:
        """Something broke. Its message may say what was asked; its kind and its places do not."""
        said = traceback.format_exception(error) if self.questions else _without_messages(error)
        _log.error("an error of the server: %s", "\n".join(said))


def _without_messages(error: BaseException) -> Iterator[str]:
    yield type(error).__name__
    yield from traceback.format_tb(error.__traceback__)
    for each in error.exceptions if isinstance(error, BaseExceptionGroup) else ():
        yield from _without_messages(each)
