"""The reference `fts5`: SQLite's full-text search over the same chunks. The only file that imports sqlite3 here.

One row for each table row and each passage, its words in four fields, weighted once by hand before a question was asked
and never since. It belongs to the benchmark and is no strategy of the library: a search that is built for tables has to
be better than this.
"""

import re
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager

from evals.errors import EvaluationError
from retrieval.clock import Stopwatch
from retrieval.index.snapshot.metadata_index import Mask
from retrieval.index.snapshot.snapshot import Snapshot
from retrieval.search.metadata_filter import Filter
from retrieval.search.retriever import Retriever
from retrieval.strategy import DEFAULT_K, Strategy
from retrieval.types import Chunk, Embedder, Hit, Receipt, Retrieval

REFERENCE = Strategy("fts5")
"""A name to ask for; it has no leg, so a retriever alone cannot search with it."""

WEIGHTS = {"heads": 3.0, "key": 4.0, "columns": 1.0, "text": 1.0}
"""Of bm25() by field: headings and caption, first cell of a row, column names, cells or prose."""
STOP_WORDS = frozenset(
    (
        *("a", "an", "the", "this", "that", "these", "those", "any", "all", "no", "not", "so", "also", "than", "then"),
        *("i", "me", "my", "we", "our", "you", "your", "it", "its", "they", "them", "their", "there"),
        *("what", "which", "who", "whom", "whose", "when", "where", "why", "how"),
        *("am", "is", "are", "was", "were", "be", "been", "being", "has", "have", "had", "do", "does", "did"),
        *("can", "could", "may", "shall", "should", "will", "would"),
        *("and", "or", "but", "if", "as", "at", "by", "for", "from", "in", "into", "of", "on", "to", "with", "about"),
    )
)

_WORD = re.compile(r"\w+")
_TABLE = "CREATE VIRTUAL TABLE chunks USING fts5(id UNINDEXED, {fields}, tokenize = 'porter unicode61')"
_RANKED = (
    "SELECT rowid - 1, bm25(chunks, 0.0, {weights}) AS distance FROM chunks WHERE chunks MATCH ? "
    "ORDER BY distance, id LIMIT ?"
)


class MissingFts5Error(EvaluationError):
    """Python's SQLite was compiled without FTS5."""


def why_missing() -> str | None:
    """Why the reference cannot be asked here; None if it can."""
    with closing(sqlite3.connect(":memory:")) as database:
        try:
            database.execute(_TABLE.format(fields="text"))
        except sqlite3.OperationalError as error:
            return f"SQLite {sqlite3.sqlite_version} has no FTS5 ({error})"
    return None


class Fts5Index:
    """Chunks in a table of FTS5, in memory; made anew by every process.

    Args:
        chunks: those of a snapshot, in the order of their positions.

    Raises:
        MissingFts5Error: SQLite has no FTS5.
    """

    def __init__(self, chunks: Sequence[Chunk]) -> None:
        if reason := why_missing():
            raise MissingFts5Error(f"{reason}; leave the strategy {REFERENCE.name!r} out")
        weights = ", ".join(map(str, WEIGHTS.values()))
        self._ranked = _RANKED.format(weights=weights)
        self._size = len(chunks)
        self._database = sqlite3.connect(":memory:")
        self._database.execute(_TABLE.format(fields=", ".join(WEIGHTS)))
        rows = ((position + 1, chunk.id, *_fields(chunk)) for position, chunk in enumerate(chunks))
        self._database.executemany(
            "INSERT INTO chunks(rowid, id, heads, key, columns, text) VALUES (?,?,?,?,?,?)", rows
        )

    def search(self, question: str, k: int, passing: Mask | None = None) -> tuple[tuple[int, float], ...]:
        """At most k (position, score), the best first and equal ones by id; a chunk without a word of it is none.

        Args:
            question: any text.
            k: how many.
            passing: (n,) which chunks may come back; None for all.
        """
        match = match_expression(question)
        if not match:
            return ()
        execute = self._database.execute(self._ranked, (match, k if passing is None else self._size))
        # SQLite's bm25 is the less the better
        return tuple((position, -distance) for position, distance in execute if passing is None or passing[position])[
            :k
        ]

    def close(self) -> None:
        """Give the memory back."""
        self._database.close()


def match_expression(question: str) -> str:
    """The words of a question without stop words, each quoted, with OR between them; with them if it has no others."""
    words = list(dict.fromkeys(_WORD.findall(question.lower())))
    telling = [word for word in words if word not in STOP_WORDS] or words
    return " OR ".join(f'"{word}"' for word in telling)


def _fields(chunk: Chunk) -> tuple[str, ...]:
    # a sentence that introduces a table is no heading of it, and is in the row all the same
    title, sentence = (None, chunk.caption) if chunk.introduced else (chunk.caption, None)
    heads = " ".join([*chunk.heading_path, title or ""])
    text = chunk.text if chunk.kind == "prose" else " ".join([*chunk.cells, sentence or ""])
    return heads, chunk.row_key or "", " ".join(chunk.columns), text


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
            match = self._index.search(query, k, passing)
        with watch.stage("chunks"):
            hits = tuple(
                Hit(self.snapshot.chunks[position], score, rank)
                for rank, (position, score) in enumerate(match, start=1)
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
