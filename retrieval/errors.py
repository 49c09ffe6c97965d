"""Everything that `retrieval` raises on purpose.

::

    RetrievalError
      x LibraryError            a folder of books cannot be read as one
      x InvalidDocumentError    one document cannot be ingested
      x BadPredicateError       a query_must that no question could be checked against
      x InvalidQueryError       an empty question, or one of more than 2,000 characters
      x UnknownNameError        a strategy, embedder or chunk that does not exist; lists those that do
      x AmbiguousNameError      the beginning of a name that several have; lists them
      x IndexMissingError       nothing is live under this home
      x IndexCorruptError       a snapshot's counts, hashes or schema version disagree
      x EmbedderMismatchError   vectors of another model or dimension
      x EmbedderUnavailableError  an embedder lacks its weights, its key or its server
      x UnreadableSettingsError rag.yaml cannot be read
"""

from collections.abc import Iterable


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

    def __init__(self, kind: str, name: str, available: Iterable[str], advice: str = "there are: none") -> None:
        """`advice` is what to do where nothing is available."""
        self.kind, self.name, self.available = kind, name, tuple(sorted(available))
        there = f"there are: {', '.join(self.available)}" if self.available else advice
        super().__init__(f"no {kind} is called {name!r}; {there}")


class AmbiguousNameError(RetrievalError):
    """The beginning of a name that several have."""

    def __init__(self, kind: str, name: str, available: Iterable[str]) -> None:
        self.kind, self.name, self.available = kind, name, tuple(available)
        super().__init__(f"several {kind}s begin with {name!r}; write more of it: {', '.join(self.available)}")


class IndexMissingError(RetrievalError):
    """Nothing is live under this home."""


class IndexCorruptError(RetrievalError):
    """A snapshot's counts, hashes or schema version disagree."""


class EmbedderMismatchError(RetrievalError):
    """Vectors of another model or dimension than the index holds."""


class EmbedderUnavailableError(RetrievalError):
    """An embedder lacks its weights, its key or its server."""


class UnreadableSettingsError(RetrievalError):
    """The settings file of a home cannot be read."""
