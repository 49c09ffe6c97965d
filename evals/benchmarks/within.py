"""Questions put within one table: its rows are the only candidates, scored as in the whole index."""

from collections import defaultdict
from collections.abc import Sequence

import numpy as np

from evals.questions import Question
from retrieval.search.filtering import admitted_mask
from retrieval.search.fusion import Positions, Scores
from retrieval.search.question import Question as AskedQuestion
from retrieval.search.retriever import Retriever
from retrieval.search.scan import scan
from retrieval.search.stopwatch import Stopwatch
from retrieval.strategy import Strategy
from retrieval.types import Chunk, Decision, Hit, Receipt, Retrieval


class WithinTable:
    """Asks about the table that a question's gold stands in.

    Every strategy ranks by the score that it gives over the whole index (of the dense ones: the exact cosine).
    `iterative` sees `max_iterations` times k rows at most, as its rounds would.

    Args:
        retriever: over an index of all tables.
        chunks: those of the index, in the order of their positions.
    """

    def __init__(self, retriever: Retriever, chunks: Sequence[Chunk]) -> None:
        self._retriever, self._chunks = retriever, chunks
        rows: dict[str, list[int]] = defaultdict(list)
        for position, chunk in enumerate(chunks):
            if chunk.kind != "prose":
                rows[chunk.document].append(position)
        self._rows = {document: np.asarray(positions, dtype=np.int64) for document, positions in rows.items()}

    def ask(self, question: Question, k: int, strategy: Strategy) -> Retrieval:
        """The k best rows of the asked table."""
        snapshot = self._retriever.snapshot
        asked = AskedQuestion.ask(question.query, snapshot.vocabulary)
        vector = self._retriever.embedder.embed_query(question.query) if strategy.has_dense_leg else None
        scores = scan(snapshot, asked, vector, strategy, Stopwatch()).fused(strategy)
        rows = self._rows[question.gold[0].document or ""]
        looked_at = rows[np.lexsort((rows, -scores[rows]))]
        allowed = np.ones(len(looked_at), dtype=np.bool_)
        if strategy.query_must == "iterative":
            looked_at = looked_at[: k * strategy.max_iterations]
        if strategy.query_must != "off":
            allowed = admitted_mask(snapshot, self._retriever.admitted(asked))[looked_at]
        return self._retrieval(question, strategy, scores, looked_at[allowed][:k], looked_at[~allowed])

    def _retrieval(
        self, question: Question, strategy: Strategy, scores: Scores, kept: Positions, excluded: Positions
    ) -> Retrieval:
        hits = tuple(
            Hit(self._chunks[position], float(scores[position]), rank)
            for rank, position in enumerate(kept.tolist(), start=1)
        )
        decisions = tuple(
            Decision(self._chunks[position].id, self._chunks[position].title, False, "query_must")
            for position in excluded.tolist()
        )
        return Retrieval(question.query, strategy.name, hits, Receipt("", decisions, 1, len(decisions)))
