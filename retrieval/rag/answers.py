"""Answers that were given a moment ago."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from time import monotonic

from retrieval.kept import MOST, Kept
from retrieval.rag.contract import RAGContext, RetrieveRequest


@dataclass(frozen=True, slots=True)
class Asked:
    """A question to one index. Another snapshot gives another answer, so an ingestion forgets none by hand."""

    snapshot: str
    request: RetrieveRequest


class Answers:
    """Keeps the answers of the last while; any number of threads may use it.

    Args:
        seconds: how long an answer is kept; 0 keeps none.
        timer: the time, in seconds from whenever.
        most: how many are kept.
    """

    def __init__(self, seconds: float, timer: Callable[[], float] = monotonic, most: int = MOST) -> None:
        self._kept: Kept[Asked, RAGContext] = Kept(seconds, timer, most)

    def get(self, asked: Asked) -> RAGContext | None:
        """The answer, None if there is none any more."""
        found = self._kept.get(asked)
        return None if found is None else _apart(found)

    def keep(self, asked: Asked, answer: RAGContext) -> RAGContext:
        """Keep an answer, and give the one that is kept: of two threads that ask at once both get the first."""
        return _apart(self._kept.keep(asked, answer))

    def __len__(self) -> int:
        return len(self._kept)


def _apart(answer: RAGContext) -> RAGContext:
    """The same answer, in lists of its own: who sorts them does not sort what another caller gets."""
    chunks = [replace(chunk, metadata=dict(chunk.metadata)) for chunk in answer.document_chunks]
    return replace(answer, document_chunks=chunks, relevance_scores=list(answer.relevance_scores))
