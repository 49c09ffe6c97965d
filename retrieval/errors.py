"""All errors that `retrieval` raises deliberately."""

from collections.abc import Iterable
from difflib import get_close_matches


class RetrievalError(Exception):
    """Base class: the message states what was wrong, with which value, and what to do."""


class LibraryError(RetrievalError):
    """A folder of books cannot be read as one."""


class InvalidDocumentError(RetrievalError):
    """One document cannot be ingested."""


class BadPredicateError(RetrievalError):
    """A query_must that no question could be checked against."""


class InvalidQueryError(RetrievalError):
    """An empty question, or one that is too long."""


class UnknownNameError(RetrievalError):
    """A name that is not registered."""

    def __init__(
        self,
        kind: str,
        name: str,
        available: Iterable[str],
        advice: str = "available: none",
        also: Iterable[str] = (),
    ) -> None:
        """`advice` states what to do if nothing is available; `also` are names that are known but not listed."""
        self.kind, self.name, self.available = kind, name, tuple(sorted(available))
        there = f"available: {', '.join(self.available)}" if self.available else advice
        near = get_close_matches(name, [*self.available, *also], n=1)
        meant = f"did you mean {near[0]!r}? " if near else ""
        super().__init__(f"no {kind} is called {name!r}; {meant}{there}")


class AmbiguousNameError(RetrievalError):
    """A beginning of a name that several names share."""

    def __init__(self, kind: str, name: str, available: Iterable[str]) -> None:
        self.kind, self.name, self.available = kind, name, tuple(available)
        super().__init__(f"several {kind}s begin with {name!r}; give more characters: {', '.join(self.available)}")


class VectorDBUnavailableError(RetrievalError):
    """There is no index to search; the contract's name for all of its kinds."""


class IndexMissingError(VectorDBUnavailableError):
    """A snapshot, a collection or an artifact is not there."""


class NothingLiveError(IndexMissingError):
    """Nothing is live under a home, or nothing was built there."""

    @classmethod
    def of(cls, home: object, missing: str = "nothing is live") -> "NothingLiveError":
        """Return the error of a home; `missing` states what it lacks, if that is not only the live snapshot."""
        return cls(f"{missing} in {home}; run: querymust build --library DIR")


class NotMaterializedError(IndexMissingError):
    """The input of an asset was not materialized, or was materialized for other chunks."""

    @classmethod
    def of(cls, problem: str, asset: str) -> "NotMaterializedError":
        """Return the error for one asset that must be materialized first."""
        return cls(f"{problem}; materialize {asset} first")


class StoreUnavailableError(VectorDBUnavailableError):
    """A server of vectors or artifacts cannot be used, or its client is not installed."""

    @classmethod
    def of(cls, store: str, reason: object, advice: str) -> "StoreUnavailableError":
        """Return the error of a store that was called; `reason` is the message of its client."""
        return cls(f"{store} cannot be used ({reason}); {advice}")

    @classmethod
    def not_installed(cls, store: str, install: str) -> "StoreUnavailableError":
        """Return the error of a store whose Python client is missing; `install` is the command that installs it."""
        return cls(f"the Python client of {store} is not installed; run: {install}")


class IndexCorruptError(VectorDBUnavailableError):
    """A snapshot's counts, hashes or schema version disagree."""


class VectorDBWriteError(RetrievalError):
    """A new index could not be written; the live index stays live."""


class TransferError(RetrievalError):
    """A snapshot could not be copied to or from another place; the live index in both places stays live."""


class EmbeddingFailureError(RetrievalError):
    """No vector could be made of a text; the contract's name for both of its kinds."""


class EmbedderMismatchError(EmbeddingFailureError):
    """Vectors are from another model, or have another dimension, than those of the index."""


class EmbedderUnavailableError(EmbeddingFailureError):
    """An embedder lacks its weights, its key or its server."""

    def __init__(self, message: str, *, passing: bool = True, general: bool = False) -> None:
        """`passing`: trying again may help; `general`: it is not about one text, any other would fail too."""
        super().__init__(message)
        self.passing, self.general = passing, general


class BudgetExceededError(RetrievalError):
    """The embedder would cost more than the settings allow; nothing was sent."""


class NoDocumentsFoundError(RetrievalError):
    """Nothing in these books answers. No search raises it, only `RAGContext.required`, if the context is empty."""


class GenerationError(RetrievalError):
    """A model gave no answer, or one that cannot be used."""


class ModelError(RetrievalError):
    """A hosted model cannot be called, or its answer cannot be used."""

    def __init__(self, message: str, *, reason: str = "", passing: bool = False, status: int | None = None) -> None:
        """`reason` is the message of the server or its client, without the key; `passing`: trying again later may
        help.

        `status` is the HTTP status; None: the server did not answer.
        """
        super().__init__(message)
        self.reason, self.passing, self.status = reason or message, passing, status


class ModelKeyError(ModelError):
    """The key of a hosted model is missing or rejected: further requests would fail too."""


class RetrievalTimeoutError(RetrievalError, TimeoutError):
    """An answer took too long and was cancelled."""


class ListeningError(RetrievalError):
    """A server cannot listen on the given address."""


class UnreadableSettingsError(RetrievalError):
    """A settings file of a home cannot be read, or a value in it cannot be used."""


class QueryAnalysisError(RetrievalError):
    """A question cannot be analyzed for conditions."""


class FilterTranslationError(RetrievalError):
    """Conditions found in a question cannot be translated to a filter."""


class InvalidFilterError(FilterTranslationError):
    """A filter names a field or a value that the index does not have."""


class FallbackActivatedError(RetrievalError):
    """A filter was dropped or relaxed, and the caller asked for an error instead."""
