"""A snapshot whose chunks are in memory: scoring looks at a hundred hits a question and would parse each again."""

from collections.abc import Sequence
from copy import copy
from dataclasses import dataclass
from typing import cast

from retrieval.index.snapshot.chunk_file import ChunkFile
from retrieval.index.snapshot.snapshot import Snapshot
from retrieval.search.retriever import Retriever
from retrieval.strategy import Strategy
from retrieval.types import Chunk, Retrieval


@dataclass(frozen=True, slots=True, eq=False)
class _ParsedChunks(ChunkFile):
    records: tuple[Chunk, ...] = ()

    def __getitem__(self, position: int) -> Chunk:
        return self.records[position]


class ScoringSearcher:
    """Answers as the retriever does; hits beyond `timed` come from memory and not from the file of chunks.

    Args:
        retriever: what answers users; it alone answers up to `timed` hits, so that latency is theirs.
        chunks: those of its snapshot, in the order of their positions.
        timed: the number of hits whose latency is measured.
    """

    def __init__(self, retriever: Retriever, chunks: Sequence[Chunk], timed: int) -> None:
        self._retriever, self._timed = retriever, timed
        self.parsed = copy(retriever)  # and not a new one: it may be one that knows the reference
        self.parsed.snapshot = _with_chunks(retriever.snapshot, chunks)

    def retrieve(self, query: str, k: int, strategy: Strategy) -> Retrieval:
        """Return at most k hits."""
        searcher = self._retriever if k <= self._timed else self.parsed
        return searcher.retrieve(query, k, strategy)


def _with_chunks(snapshot: Snapshot, chunks: Sequence[Chunk]) -> Snapshot:
    file = snapshot.chunks
    return cast(Snapshot, _InMemory(snapshot, _ParsedChunks(file.lines, file.ends, file.ids, tuple(chunks))))


class _InMemory:
    """Everything but the chunks is the other snapshot's own: two clients on one folder of Chroma would quarrel."""

    def __init__(self, snapshot: Snapshot, chunks: ChunkFile) -> None:
        self._snapshot, self.chunks = snapshot, chunks

    def __len__(self) -> int:
        return len(self._snapshot)

    def __getattr__(self, name: str) -> object:
        return getattr(self._snapshot, name)
