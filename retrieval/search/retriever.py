"""Question in, ranked chunks out: the whole search at a glance.

::

    question ── canonical form ── compiled predicates ── the guarded chunks that may come back
        │                                                             │
        ├── first stage: nearest ─────────────────────────────────────┼── by distance, then id         dense, prefilter
        ├── first stage: words, names, nearest; rows of the tables ───┴── candidates ── trees ── the k best   default
        └── BM25 + cosine over all chunks ── mask ── the k best, then id                                     hybrid
"""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from retrieval.clock import Stopwatch
from retrieval.errors import EmbedderMismatchError, InvalidQueryError
from retrieval.index.embedding.embedders import load_embedder
from retrieval.index.snapshot.metadata_index import Mask
from retrieval.index.snapshot.snapshot import Snapshot, open_snapshot
from retrieval.query_must.compiled.sibling_index import CompiledExclusions
from retrieval.search.by_model.model_order import in_order
from retrieval.search.first_stage import Admission, AllowedChunks, ranked_by_distance
from retrieval.search.fusion import Ranking
from retrieval.search.iterative import nearest_in_rounds
from retrieval.search.metadata_filter import Filter
from retrieval.search.query import Query
from retrieval.search.ranking import Search, rank
from retrieval.search.receipt import decisions_of
from retrieval.search.strategies import strategy as strategy_named
from retrieval.strategy import DEFAULT_K, Strategy
from retrieval.types import Decision, Embedder, Hit, Receipt, Retrieval, Vector


class Retriever:
    """Searches one snapshot.

    Args:
        snapshot: the snapshot to search.
        embedder: the model that made the snapshot's vectors; loaded when a strategy first needs it.

    Raises:
        EmbedderMismatchError: another model made the snapshot's vectors.
    """

    def __init__(self, snapshot: Snapshot, embedder: Embedder) -> None:
        if embedder.identity != snapshot.manifest.embedder:
            raise EmbedderMismatchError(
                f"snapshot {snapshot.id} holds vectors of {snapshot.manifest.embedder}, but the question would be "
                f"embedded by {embedder.identity}; search with that embedder or build the index again"
            )
        self.snapshot, self.embedder = snapshot, embedder

    @classmethod
    def open(cls, home: Path, id: str = "live") -> "Retriever":  # noqa: A002
        """Return a retriever for a snapshot of a home, with the embedder that its manifest names."""
        snapshot = open_snapshot(home, id)
        return cls(snapshot, load_embedder(snapshot.manifest.embedder.name))

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
        """Return the k best chunks for a question; fewer only if fewer exist or the filter leaves fewer.

        Args:
            query: 1 to 2,000 characters.
            k: the number of chunks, at least 1; if there are fewer chunks, all of them are returned.
            strategy: a name of `STRATEGIES`, or your own strategy.
            where: restricts which chunks may be returned, by their metadata; applies in addition to query_must.
            debug: whether to also list and count the chunks that `prefilter` excluded, which takes another query.
            decisions: whether to report for each examined chunk why it was kept or excluded, and count the excluded.
                False: only the hits matter; the rounds of `iterative` are always reported.

        Raises:
            InvalidQueryError: the question is empty or too long, k is less than 1, or the strategy has no leg.
            UnknownNameError: no strategy has that name, or `where` names a key that no chunk has.
            ModelError: the strategy requires the order of a model, and there is none.
        """
        if not isinstance(k, int) or k < 1:
            raise InvalidQueryError(f"k is {k!r}; ask for a whole number of results, at least 1")
        k = min(k, len(self.snapshot))
        chosen = _usable(strategy)
        if chosen.order is not None:
            # A model is shown what the strategy finds without it.
            many, alone = max(k, chosen.order.first), replace(chosen, order=None)
            shown = self.retrieve(query, many, alone, where=where, debug=debug, decisions=decisions)
            return in_order(shown, chosen.order, k, chosen.name)
        watch = Stopwatch()
        question, passing = self._analyze(query, chosen, where, watch)
        ranking = self._rank(question, k, chosen, watch, passing, debug=debug, decisions=decisions)
        with watch.stage("chunks"):
            hits = self._hits(ranking)
            decided = ranking.decisions or ()
            if decisions and not decided:
                decided = decisions_of(ranking, hits, question, self.snapshot, chosen)
        is_counted = ranking.decisions is not None or (decisions and ranking.displaced is not None)
        excluded = sum(not decision.kept for decision in decided) if is_counted else None
        return Retrieval(query, chosen.name, hits, _receipt(query, question, ranking, decided, excluded, watch))

    def _analyze(
        self, query: str, strategy: Strategy, where: Filter | None, watch: Stopwatch
    ) -> tuple[Query, Mask | None]:
        """Return the question, with the rows that it excludes, and (n,) the chunks that meet a filter; None: all."""
        with watch.stage("canonical"):
            question = Query.of(query, self.snapshot)
            if strategy.query_must != "off":
                question = question.among(self.snapshot.rivals)
        if where is None:
            return question, None
        with watch.stage("where"):
            return question, where.mask(self.snapshot.metadata)

    def admitted(self, question: Query) -> Admission:
        """Return the decisions of the index's predicates for a question."""
        read = question.canonical.rivals
        kept = read if isinstance(read, CompiledExclusions) else self.snapshot.rivals.read(question.canonical)
        return Admission(self.snapshot.predicates.admitted(question.canonical), kept)

    def _rank(
        self,
        question: Query,
        k: int,
        strategy: Strategy,
        watch: Stopwatch,
        where: Mask | None,
        *,
        debug: bool,
        decisions: bool,
    ) -> Ranking:
        admitted = None
        # A strategy that scores all chunks needs no rounds: its filter is the same however the admitted are found.
        if strategy.query_must == "prefilter" or (strategy.query_must == "iterative" and strategy.scans):
            with watch.stage("predicates"):
                admitted = self.admitted(question)
        vector = None
        if strategy.has_dense_leg:
            with watch.stage("embed"):
                vector = self.vector_of(question.text)
        passing = AllowedChunks(admitted, where)
        if vector is None or strategy.scans:
            search = Search(self.snapshot, question, vector, strategy, passing, decisions)
            return rank(search, k, watch)
        with watch.stage("dense"):
            if strategy.query_must == "iterative":
                return nearest_in_rounds(self.snapshot, question, vector, k, strategy, where)
            return ranked_by_distance(self.snapshot, vector, k, passing, debug=debug)

    def vector_of(self, question: str) -> Vector:
        """Return the vector of a question, (dimensions,), comparable with those of the snapshot.

        Raises:
            EmbedderMismatchError: the vector has a different number of dimensions than the snapshot's.
        """
        vector, dimensions = self.embedder.embed_query(question), self.snapshot.manifest.embedder.dimensions
        if vector.shape != (dimensions,):
            raise EmbedderMismatchError(
                f"{self.embedder.identity.name} gave a question a vector of shape {vector.shape}, not {(dimensions,)}; "
                "restore its model, or build the index again with another name for it"
            )
        return vector

    def _hits(self, ranking: Ranking) -> tuple[Hit, ...]:
        ranked = zip(
            ranking.positions.tolist(), ranking.scores.tolist(), ranking.measured(), ranking.addends(), strict=True
        )
        return tuple(
            Hit(self.snapshot.chunks[position], score, rank, evidence, addends)
            for rank, (position, score, evidence, addends) in enumerate(ranked, start=1)
        )


def _usable(strategy: str | Strategy) -> Strategy:
    chosen = strategy_named(strategy)
    if not (chosen.has_lexical_leg or chosen.has_dense_leg):
        raise InvalidQueryError(
            f"strategy {chosen.name!r} has no leg; give it a lexical_weight or a dense_weight, or let it re-rank"
        )
    return chosen


def _receipt(
    query: str,
    question: Query,
    ranking: Ranking,
    decisions: Sequence[Decision],
    excluded: int | None,
    watch: Stopwatch,
) -> Receipt:
    return Receipt(
        canonical=question.canonical.text.strip(),
        read_as=question.text if question.text != query else None,
        decisions=tuple(decisions),
        rounds=ranking.rounds,
        excluded=excluded,
        stages=watch.stages,
        iterations=ranking.iterations,
        stopped=ranking.stopped,
        milliseconds=watch.milliseconds,
    )
