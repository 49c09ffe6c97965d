"""Error responses: a status, a type, one sentence, and no path of this machine."""

from collections.abc import Mapping
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
    NothingLiveError,
    QueryAnalysisError,
    RetrievalError,
    RetrievalTimeoutError,
    StoreUnavailableError,
    UnknownNameError,
    VectorDBUnavailableError,
    VectorDBWriteError,
)

STATUSES: Mapping[int, str] = {
    400: "The body is not JSON.",
    401: "A key is missing or unknown.",
    403: "The key allows only reading.",
    404: "No strategy, metadata key or chunk has this name.",
    408: "The headers or the body did not arrive in time.",
    409: "Several ids begin like this one, or the budget is too low.",
    413: "The body is too large.",
    421: "The server does not have this host name.",
    422: "The body, or a value in it, cannot be used.",
    429: "Too many requests.",
    500: "A server error.",
    502: "The embedder, the model or the store does not respond.",
    503: "Nothing is live, or it cannot be read.",
    504: "It took too long.",
}
"""Every error status, and when a client gets it."""
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
    (StoreUnavailableError, 502),
    (VectorDBWriteError, 503),
    (VectorDBUnavailableError, 503),
)


@dataclass(frozen=True, slots=True)
class ErrorBody:
    """The body of every error response."""

    type: str
    message: str

    def to_json(self) -> dict[str, dict[str, str]]:
        """Return `{"error": {"type": ..., "message": ...}}`."""
        return {"error": {"type": self.type, "message": self.message}}


UNKNOWN = ErrorBody("InternalError", "a server error; see the server's log")
"""The body for unexpected errors, whose messages are only for the log."""


NOT_READY = NothingLiveError("nothing is live, or it cannot be read; build the index")
"""The error in the health check of a server without a readable index."""


def status_of(error: RetrievalError) -> int:
    """Return the HTTP status of an error; 500 for one that a client cannot avoid."""
    return next((status for kind, status in _STATUS if isinstance(error, kind)), 500)


def problem_of(error: RetrievalError, home: Path) -> ErrorBody:
    """Return an error for a client: in its message, `HOME` replaces the path of the home folder."""
    return ErrorBody(type(error).__name__, without_home(str(error), home))


def without_home(message: str, home: Path) -> str:
    """Return a message without the path of the home folder."""
    return message.replace(str(home), "HOME")
