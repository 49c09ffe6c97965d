"""What a client is told when something goes wrong: a status, a kind, one sentence, and no path of this machine."""

from dataclasses import dataclass
from pathlib import Path

from retrieval.errors import (
    AmbiguousNameError,
    BudgetExceededError,
    EmbeddingFailureError,
    FilterTranslationError,
    GenerationError,
    InvalidDocumentError,
    InvalidQueryError,
    QueryAnalysisError,
    RetrievalError,
    RetrievalTimeoutError,
    UnknownNameError,
    VectorDBUnavailableError,
    VectorDBWriteError,
)

_STATUS: tuple[tuple[type[RetrievalError], int], ...] = (
    (InvalidQueryError, 422),
    (InvalidDocumentError, 422),
    (FilterTranslationError, 422),
    (QueryAnalysisError, 422),
    (UnknownNameError, 404),
    (AmbiguousNameError, 409),
    (BudgetExceededError, 409),
    (RetrievalTimeoutError, 504),
    (EmbeddingFailureError, 502),
    (GenerationError, 502),
    (VectorDBWriteError, 503),
    (VectorDBUnavailableError, 503),
)


@dataclass(frozen=True, slots=True)
class Problem:
    """The body of every answer that is no success."""

    type: str
    message: str

    def to_json(self) -> dict[str, dict[str, str]]:
        """`{"error": {"type": ..., "message": ...}}`."""
        return {"error": {"type": self.type, "message": self.message}}


UNKNOWN = Problem("InternalError", "an error of the server; its log tells more")
"""Of an error that nobody foresaw: what it says is for the log alone."""


def status_of(error: RetrievalError) -> int:
    """The HTTP status of an error; 500 of one that no client can do anything about."""
    return next((status for kind, status in _STATUS if isinstance(error, kind)), 500)


def problem_of(error: RetrievalError, home: Path) -> Problem:
    """An error as a client may read it: where its message names the home folder, `HOME` stands."""
    return Problem(type(error).__name__, without_home(str(error), home))


def without_home(message: str, home: Path) -> str:
    """A message without the path of the home folder."""
    return message.replace(str(home), "HOME")
