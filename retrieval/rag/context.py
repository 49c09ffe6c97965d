"""The passages that an answer is made from, part by part for a comparison."""

from dataclasses import dataclass
from functools import cached_property
from typing import Literal

import numpy as np

from retrieval.index.snapshot.snapshot import Snapshot
from retrieval.rag.answering import ContextSource
from retrieval.rag.cells import Cell
from retrieval.rag.relevance import N_CANDIDATES, NAMES, marked, measures, why_none
from retrieval.search.query import Query
from retrieval.types import Hit, Retrieval
from retrieval.understand.decompose.comparisons import ComparedNames
from retrieval.understand.decompose.facts import IterationSettings
from retrieval.understand.decompose.rounds import ALLOCATED_FROM, IterativeResult, IterativeRetriever

EventName = Literal["search", "context", "generation", "token", "complete", "error"]
Mode = Literal["read", "generated", "none"]


@dataclass(frozen=True, slots=True)
class Passage:
    """A chunk that an answer may be taken from. Key: number."""

    number: int
    """1-based; what `[1]` in an answer points to."""
    hit: Hit
    """Its `evidence` has `relevance`, 0 to 1."""
    question: str
    """What it answers: the whole question, or the part of a comparison."""
    says: float = 0.0
    """Share of the whole question that it says, in whatever words; 0 where that was not measured."""


@dataclass(frozen=True, slots=True)
class Citation:
    """Where a part of an answer is from."""

    number: int
    chunk_id: str
    book: str
    document: str
    lines: tuple[int, int]
    title: str


@dataclass(frozen=True, slots=True)
class Answer:
    """The answer to one question, whole."""

    query: str
    text: str
    mode: Mode
    """`read` from cells and sentences, `generated` by a model from the passages, or `none`: not in these books, or
    perhaps not, beside what comes nearest."""
    citations: tuple[Citation, ...]
    """Passages that the text points to, in the order of their numbers."""
    cells: tuple[Cell, ...] = ()
    """What was read; of a generated answer nothing."""
    doubts: tuple[str, ...] = ()
    """What a generated answer says and its passages do not: numbers, and citations of passages that there are not."""
    snapshot: str = ""
    """Id of the index that was asked."""
    read_as: str | None = None
    """The question with its misspelt words as they were read; None where it was read as it is written."""
    model: str | None = None
    server: str | None = None
    """Host of the model."""
    tokens: int = 0
    """Used by the model, prompt and answer; 0 where the server does not say."""
    usd: float | None = None
    """What they cost; None where the price of the model on that server is not known, or the tokens are not."""


@dataclass(frozen=True, slots=True)
class AnswerEvent:
    """A step on the way to an answer; `event` and `data` are those of seed 002."""

    event: EventName
    data: str
    """What is being done, a piece of the answer's text, or what went wrong."""
    passages: tuple[Passage, ...] = ()
    """Of `context`."""
    answer: Answer | None = None
    """Of `complete`."""


NEAR = 0.15
"""Relevance of a passage that is worth showing beside the word that the books do not answer."""
_DECIMALS = 6
"""Of the share of a question that a passage says: two that say the same words say as much."""


@dataclass(frozen=True, slots=True)
class Context:
    """The passages for one question."""

    query: str
    passages: tuple[Passage, ...]
    """The best first; empty where nothing is relevant enough."""
    parts: tuple[str, ...]
    """The look-ups that a comparison is made of; else the question alone."""
    reason: str
    """Why there is no passage."""
    snapshot: Snapshot
    nearest: Passage | None = None
    """Where nothing is relevant enough: the best passage, if it is not far from the question."""
    best: str | None = None
    """Chunk id of the best passage for the whole question, which is not the first of a comparison's."""
    read_as: str | None = None
    """The question with its misspelt words as they were read; None where it was read as it is written."""


class Gatherer:
    """Gathers the passages of questions from one snapshot. Any number of threads may share one.

    Args:
        reader: over the snapshot.
    """

    def __init__(self, reader: ContextSource) -> None:
        self.reader = reader

    @cached_property
    def _names(self) -> ComparedNames:
        return ComparedNames(self.reader.retriever.snapshot.chunks)

    @cached_property
    def _rounds(self) -> IterativeRetriever:
        # The parts are dealt from their own rankings: a second round would change nothing.
        return IterativeRetriever(
            self.reader.retriever,
            settings=IterationSettings(max_iterations=1),
            names=self._names,
            strategy=self.reader.strategy,
        )

    def gather(self, query: str, most: int, least: float) -> Context:
        """The passages of a question.

        Args:
            query: 1 to 2,000 characters.
            most: how many passages at most.
            least: relevance that each must have, 0 to 1; of a comparison the best of the whole question must.

        Raises:
            InvalidQueryError: the question is empty or too long.
            EmbeddingFailureError: it has no vector.
        """
        retriever = self.reader.retriever
        looked_at, several = max(most, N_CANDIDATES), self._is_several(query)
        # What the parts are dealt beside begins with what is looked at here.
        wanted = max(looked_at, ALLOCATED_FROM) if several else looked_at
        whole = retriever.retrieve(query, wanted, self.reader.strategy, decisions=False)
        hits = whole.hits[:looked_at]
        matches = measures(retriever, query, [hit.chunk.id for hit in hits])
        scores = self.reader.calibration.of(matches).tolist()
        if not scores or max(scores) < least:
            near = Passage(1, marked(hits[0], scores[0]), query) if scores and max(scores) >= NEAR else None
            return Context(
                query, (), (query,), why_none(scores, least), retriever.snapshot, near, read_as=whole.receipt.read_as
            )
        relevance = {hit.chunk.id: score for hit, score in zip(hits, scores, strict=True)}
        says = dict(zip(relevance, np.round(matches[:, NAMES.index("alike")], _DECIMALS).tolist(), strict=True))
        best = hits[0].chunk.id
        dealt = self._dealt(whole, most) if several else None
        if dealt is not None:
            parts, of = dealt.decomposition.sub_queries, dealt.answers
            hits = dealt.hits if best in of else (*dealt.hits[: most - 1], hits[0])
        else:
            parts, of = (query,), {}
            hits = tuple(hit for hit in hits if relevance[hit.chunk.id] >= least)[:most]
        ids = [hit.chunk.id for hit in hits]
        passages = tuple(
            Passage(number, marked(hit, relevance.get(name)), of.get(name, query), says.get(name, 0.0))
            for number, (name, hit) in enumerate(zip(ids, hits, strict=True), start=1)
        )
        return Context(query, passages, parts, "", retriever.snapshot, best=best, read_as=whole.receipt.read_as)

    def _is_several(self, query: str) -> bool:
        """Whether a question looks as if it were several."""
        Query.ask(query)
        return len(self._rounds.decomposer.decompose(query).sub_queries) > 1

    def _dealt(self, whole: Retrieval, most: int) -> IterativeResult | None:
        """The answers of each part of a comparison; None where the answers say that it is none.

        Args:
            whole: what was found for the question.
            most: how many hits at most.
        """
        matches = self._rounds.retrieve(whole.query, most, whole)
        return matches if len(matches.decomposition.sub_queries) > 1 else None
