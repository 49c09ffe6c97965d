"""The entry point of the contract: it answers a question with chunks, or none, and ingests documents into a new live
index."""

import logging
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from time import monotonic
from uuid import UUID

from retrieval.deadline import Deadline
from retrieval.errors import InvalidQueryError, VectorDBUnavailableError
from retrieval.files.cache import TimedCache
from retrieval.home import Home
from retrieval.index.embedding.embedders import load_embedder
from retrieval.rag.contract import IngestionResult, RAGContext, RetrieveRequest, RuleDocument
from retrieval.rag.ingestion import Ingestion
from retrieval.rag.live import LiveIndex
from retrieval.rag.rag_context import ContextSource, retrieve_context, with_own_lists
from retrieval.search.query import require_askable
from retrieval.types import Embedder

TIMEOUT = 10.0
"""Seconds after which a question fails."""
_LONGEST_KEY = 200

_log = logging.getLogger(__name__)


class RAGPipeline:
    """Queries the live index of one home, and ingests documents into it. Any number of threads may share one.

    A question is answered by the index that is live when it arrives, even if another process promoted it.

    Args:
        home: the home folder; its `rag.yaml` sets the embedder and the defaults of `retrieve`.
        embedder: computes the vectors; None: the one in the settings, and for questions the one of the index.
        strategy: how to search; None: the strategy of the home's settings.
        timeout: seconds after which a question fails.
        timer: the clock of the answer cache, in seconds from any start.

    Raises:
        UnreadableSettingsError: the settings cannot be read, or a value cannot be used.
        UnknownNameError: the settings contain an unknown key.
    """

    def __init__(
        self,
        home: Path,
        *,
        embedder: Embedder | None = None,
        strategy: str | None = None,
        timeout: float = TIMEOUT,
        timer: Callable[[], float] = monotonic,
    ) -> None:
        self.home = Home.at(home)
        self._embedder = embedder
        self._live = LiveIndex(self.home, embedder, strategy)
        self._deadline = Deadline(timeout)
        # The key of an answer contains the snapshot id, so an ingestion need not delete any.
        seconds = self.home.settings.retrieval.cache_ttl_seconds
        self._answers: TimedCache[tuple[str, RetrieveRequest], RAGContext] = TimedCache(seconds, timer)

    def retrieve(
        self, query: str, context_key: str, max_chunks: int | None = None, min_relevance: float | None = None
    ) -> RAGContext:
        """Return the chunks that answer a question, each at least as relevant as requested; none if nothing answers
        it.

        The same question in the same conversation gets the same answer until `retrieval.cache_ttl_seconds` have passed
        or another index is live.

        Args:
            query: 1 to 2,000 characters.
            context_key: `{channel_id}:{user_id}`; a new one begins a conversation.
            max_chunks: the maximum number of chunks to return; None: `retrieval.max_chunks`, which is 5.
            min_relevance: 0 to 1; None: `retrieval.min_relevance`, which is 0.6.

        Raises:
            InvalidQueryError: the question is empty or too long, or another argument cannot be used.
            VectorDBUnavailableError: no index is live, or it cannot be read.
            EmbeddingFailureError: the question could not be embedded.
            RetrievalTimeoutError: it took more than 10 seconds.
        """
        settings = self.home.settings.retrieval
        request = RetrieveRequest(
            query,
            context_key,
            settings.max_chunks if max_chunks is None else max_chunks,
            settings.min_relevance if min_relevance is None else min_relevance,
        )
        return self.answer(request)

    def answer(self, request: RetrieveRequest) -> RAGContext:
        """Return what `retrieve` returns, for a request; raises the same errors."""
        _require_usable(request)
        try:
            return self._deadline.run(lambda: self._answer(request))
        except VectorDBUnavailableError:
            _log.exception("no index could be searched in %s", self.home.root)
            raise
        except OSError as error:
            if isinstance(error, TimeoutError):
                raise
            _log.exception("the index in %s cannot be read", self.home.root)
            raise VectorDBUnavailableError(
                f"the index in {self.home.root} cannot be read ({error}); build it again"
            ) from error

    def ingest(self, documents: Sequence[RuleDocument]) -> IngestionResult:
        """Ingest documents: new ones, and new versions of existing ones, by `document_id`.

        All documents that can be ingested go live together, in one new snapshot; a document that fails stays as it was,
        and the others continue. A document that did not change costs nothing. Whatever happens, even if the process is
        killed, the live index contains each document whole, in its old or its new version.

        Raises:
            BudgetExceededError: `budget_usd` does not allow what would have to be embedded; nothing was sent.
            VectorDBWriteError: the new index could not be written, or is not valid; the live index does not change.
        """
        return self._ingestion().ingest(documents)

    def remove(self, document_ids: Iterable[UUID]) -> IngestionResult:
        """Remove documents from the index; an id that is not in the index causes a warning.

        Raises:
            VectorDBWriteError: no document would be left, or the new index could not be written.
        """
        return self._ingestion().remove(document_ids)

    def close(self) -> None:
        """Close the index, and connections to a server with its collections; the next question reopens it."""
        self._live.close()

    def _ingestion(self) -> Ingestion:
        return Ingestion(self.home, self._embedder or load_embedder(self.home.settings.embedder))

    def _answer(self, request: RetrieveRequest) -> RAGContext:
        return self._live.ask(lambda reader: self._kept(reader, request))

    def _kept(self, reader: ContextSource, request: RetrieveRequest) -> RAGContext:
        key = (reader.retriever.snapshot.id, request)
        kept = self._answers.get(key)
        return with_own_lists(self._answers.keep(key, retrieve_context(reader, request)) if kept is None else kept)


def _require_usable(request: RetrieveRequest) -> None:
    require_askable(request.query)
    key = request.context_key
    parts = key.partition(":") if isinstance(key, str) else ("", "", "")
    if not all(part.strip() for part in parts) or len(key) > _LONGEST_KEY:
        raise InvalidQueryError(
            f"the context key is {key!r:.80}; write CHANNEL:USER, in at most {_LONGEST_KEY} characters"
        )
    count, least = request.max_chunks, request.min_relevance
    if not isinstance(count, int) or isinstance(count, bool) or count < 1:
        raise InvalidQueryError(f"max_chunks is {count!r}; ask for a whole number of chunks, at least 1")
    if not isinstance(least, int | float) or isinstance(least, bool) or not 0 <= least <= 1:
        raise InvalidQueryError(f"min_relevance is {least!r}; write a number from 0 to 1")
