"""A retriever that knows one strategy more, the reference, so that whatever asks for a strategy can ask for it."""

from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager

from evals.benchmarks.fts5 import REFERENCE, Fts5Index, match_expression
from retrieval.index.snapshot.snapshot import Snapshot
from retrieval.search.metadata_filter.filter import Filter
from retrieval.search.retriever import Retriever
from retrieval.search.stopwatch import Stopwatch
from retrieval.strategy import DEFAULT_K, Strategy
from retrieval.types import Chunk, Embedder, Hit, Receipt, Retrieval


class ReferencedRetriever(Retriever):
    """Answers `fts5` from its table, and every other strategy as any retriever does.

    Args:
        snapshot: what to search.
        embedder: the model that made the snapshot's vectors.
        index: the same chunks in FTS5.
    """

    def __init__(self, snapshot: Snapshot, embedder: Embedder, index: Fts5Index) -> None:
        super().__init__(snapshot, embedder)
        self._index = index

    def retrieve(
        self,
        query: str,
        k: int = DEFAULT_K,
        strategy: str | Strategy = "default",
        *,
        where: Filter | None = None,
        debug: bool = False,
        decisions: bool = True,
    ) -> Retrieval:
        """The k best chunks for a question; with the reference only those that hold a word of it."""
        if strategy != REFERENCE:
            return super().retrieve(query, k, strategy, where=where, debug=debug, decisions=decisions)
        watch = Stopwatch()
        with watch.stage("fts5"):
            passing = where.mask(self.snapshot.metadata) if where else None
            found = self._index.search(query, k, passing)
        with watch.stage("chunks"):
            hits = tuple(
                Hit(self.snapshot.chunks[position], score, rank)
                for rank, (position, score) in enumerate(found, start=1)
            )
        return Retrieval(query, REFERENCE.name, hits, Receipt(match_expression(query), stages=watch.stages))


@contextmanager
def retriever_for(
    strategies: Sequence[Strategy], snapshot: Snapshot, embedder: Embedder, chunks: Sequence[Chunk]
) -> Iterator[Retriever]:
    """A retriever that knows all of these strategies; the reference is indexed only if it is one of them."""
    if REFERENCE not in strategies:
        yield Retriever(snapshot, embedder)
        return
    with closing(Fts5Index(chunks)) as index:
        yield ReferencedRetriever(snapshot, embedder, index)
