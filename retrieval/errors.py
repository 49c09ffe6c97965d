"""Everything that `retrieval` raises on purpose.

::

    RetrievalError
      x LibraryError            a folder of books cannot be read as one
      x InvalidDocumentError    one document cannot be ingested
      x BadPredicateError       a query_must that no question could be checked against
      x InvalidQueryError       an empty question, or one of more than 2,000 characters
      x UnknownNameError        a strategy, embedder or chunk that does not exist; lists those that do
      x AmbiguousNameError      the beginning of a name that several have; lists them
      x VectorDBUnavailableError  there is no index that could be asked
        x IndexMissingError     a snapshot, a collection or an artifact is not there
          x NothingLiveError      nothing is live, or nothing was built, under this home
          x NotMaterializedError  an asset must be materialized first
        x StoreUnavailableError a server of vectors or artifacts cannot be asked
        x IndexCorruptError     a snapshot's counts, hashes or schema version disagree
      x VectorDBWriteError      a new index could not be written; what was live stays live
      x TransferError           a snapshot could not be brought to a place, or from it
      x EmbeddingFailureError   a text has no vector
        x EmbedderMismatchError   vectors of another model or dimension
        x EmbedderUnavailableError  an embedder lacks its weights, its key or its server
      x NoDocumentsFoundError   nothing in these books answers
      x GenerationError         a model gave no answer, or one that cannot be used
      x ModelError              a hosted model cannot be asked, or what it answers cannot be used
        x ModelKeyError         its key is missing or is refused
      x RetrievalTimeoutError   an answer took longer than it may
      x ListeningError          a server cannot listen where it is told to
      x UnreadableSettingsError a settings file cannot be read, or a value in it cannot be used
      x QueryAnalysisError      a question cannot be analyzed for conditions
      x FilterTranslationError  what was found in a question is no filter
        x InvalidFilterError      a filter names a field or value that the index does not have
      x FallbackActivatedError  a filter was dropped, and the caller wants to know rather than have the answer
"""

from collections.abc import Iterable
from difflib import get_close_matches


class RetrievalError(Exception):
    """Base class: the message says what was wrong, with which value, and what to do."""


class LibraryError(RetrievalError):
    """A folder of books cannot be read as one."""


class InvalidDocumentError(RetrievalError):
    """One document cannot be ingested."""


class BadPredicateError(RetrievalError):
    """A query_must that no question could be checked against."""


class InvalidQueryError(RetrievalError):
    """An empty question, or one that is too long."""


class UnknownNameError(RetrievalError):
    """A name that nothing is registered under."""

    def __init__(
        self,
        kind: str,
        name: str,
        available: Iterable[str],
        advice: str = "there are: none",
        also: Iterable[str] = (),
    ) -> None:
        """`advice` is what to do where nothing is available; `also` are names that are known and not listed."""
        self.kind, self.name, self.available = kind, name, tuple(sorted(available))
        there = f"there are: {', '.join(self.available)}" if self.available else advice
        near = get_close_matches(name, [*self.available, *also], n=1)
        meant = f"did you mean {near[0]!r}? " if near else ""
        super().__init__(f"no {kind} is called {name!r}; {meant}{there}")


class AmbiguousNameError(RetrievalError):
    """The beginning of a name that several have."""

    def __init__(self, kind: str, name: str, available: Iterable[str]) -> None:
        self.kind, self.name, self.available = kind, name, tuple(available)
        super().__init__(f"several {kind}s begin with {name!r}; write more of it: {', '.join(self.available)}")


class VectorDBUnavailableError(RetrievalError):
    """There is no index that could be asked; the contract's name for all of its kinds."""


class IndexMissingError(VectorDBUnavailableError):
    """A snapshot, a collection or an artifact is not there."""


class NothingLiveError(IndexMissingError):
    """Nothing is live under a home, or nothing was built there."""

    @classmethod
    def of(cls, home: object, missing: str = "nothing is live") -> "NothingLiveError":
        """The error of a home; `missing` says what it lacks, where that is more than the live snapshot."""
        return cls(f"{missing} in {home}; run: querymust build --library DIR")


class NotMaterializedError(IndexMissingError):
    """What an asset reads was not materialized, or was materialized for other chunks."""

    @classmethod
    def of(cls, problem: str, asset: str) -> "NotMaterializedError":
        """The error of one asset that must be materialized first."""
        return cls(f"{problem}; materialize {asset} first")


class StoreUnavailableError(VectorDBUnavailableError):
    """A server of vectors or artifacts cannot be asked, or its client is not installed."""

    @classmethod
    def of(cls, store: str, reason: object, advice: str) -> "StoreUnavailableError":
        """The error of a store that was asked; `reason` is what its client said."""
        return cls(f"{store} cannot be asked ({reason}); {advice}")

    @classmethod
    def not_installed(cls, store: str, install: str) -> "StoreUnavailableError":
        """The error of a store whose Python client is missing; `install` is the command that brings it."""
        return cls(f"the Python client of {store} is not installed; run: {install}")


class IndexCorruptError(VectorDBUnavailableError):
    """A snapshot's counts, hashes or schema version disagree."""


class VectorDBWriteError(RetrievalError):
    """A new index could not be written; what was live stays live."""


class TransferError(RetrievalError):
    """A snapshot could not be brought to a place, or from it; what is live, there or here, stays so."""


class EmbeddingFailureError(RetrievalError):
    """A text has no vector; the contract's name for both of its kinds."""


class EmbedderMismatchError(EmbeddingFailureError):
    """Vectors of another model or dimension than the index holds."""


class EmbedderUnavailableError(EmbeddingFailureError):
    """An embedder lacks its weights, its key or its server."""

    def __init__(self, message: str, *, passing: bool = True, general: bool = False) -> None:
        """`passing`: asking again may help; `general`: it is not about one text, any other would have no vector."""
        super().__init__(message)
        self.passing, self.general = passing, general


class BudgetExceededError(RetrievalError):
    """The embedder would cost more than the settings allow; nothing was sent."""


class NoDocumentsFoundError(RetrievalError):
    """Nothing in these books answers. No search raises it: an empty answer does, when it is told to."""


class GenerationError(RetrievalError):
    """A model gave no answer, or one that cannot be used."""


class ModelError(RetrievalError):
    """A hosted model cannot be asked, or what it answers cannot be used."""

    def __init__(self, message: str, *, reason: str = "", passing: bool = False, status: int | None = None) -> None:
        """`reason` is what the server or its client said, without the key; `passing`: another time it may be well.

        `status` is that of HTTP; None: the server did not answer.
        """
        super().__init__(message)
        self.reason, self.passing, self.status = reason or message, passing, status


class ModelKeyError(ModelError):
    """The key of a hosted model is missing or is refused: no further request can do better."""


class RetrievalTimeoutError(RetrievalError, TimeoutError):
    """An answer took longer than it may; it was given up."""


class ListeningError(RetrievalError):
    """A server cannot listen where it is told to."""


class UnreadableSettingsError(RetrievalError):
    """A settings file of a home cannot be read, or a value in it cannot be used."""


class QueryAnalysisError(RetrievalError):
    """A question cannot be analyzed for conditions."""


class FilterTranslationError(RetrievalError):
    """What was found in a question cannot be made a filter."""


class InvalidFilterError(FilterTranslationError):
    """A filter names a field or a value that the index does not have."""


class FallbackActivatedError(RetrievalError):
    """A filter was dropped or relaxed, and the caller asked to be told instead."""
