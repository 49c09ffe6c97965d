"""The passages that an answer is made from, part by part for a comparison."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Literal

from retrieval.index.snapshot.snapshot import Snapshot
from retrieval.rag.cells import Cell
from retrieval.rag.rag_context import ContextSource
from retrieval.rag.relevance import N_CANDIDATES, NAMES, marked, measures, why_none
from retrieval.search.query import Query, shortened
from retrieval.types import RELEVANCE, Hit, Retrieval
from retrieval.understand.decompose.comparisons import ComparedNames
from retrieval.understand.decompose.facts import IterationSettings
from retrieval.understand.decompose.rounds import ALLOCATED_FROM, IterativeResult, IterativeRetriever

EventName = Literal["search", "context", "generation", "token", "complete", "error"]
Mode = Literal["read", "generated", "none"]

READABLE = 0.15
"""Relevance from which a passage is read, and worth naming where the books do not answer: what is stated of it has a
probability of its own."""
_DECIMALS = 6
"""Of the share of a question that a passage says: two that say the same words say as much."""


@dataclass(frozen=True, slots=True)
class Passage:
    """A chunk that an answer may be taken from. Key: number."""

    number: int
    """1-based; what `[1]` in an answer points to."""
    hit: Hit
    """Its `evidence` has `relevance`, 0 to 1."""
    question: str
    """What it answers: the whole question, or the part of a comparison."""
    measures: tuple[float, ...] = ()
    """What relevance is made from, in the order of `relevance.NAMES`; empty where that was not measured."""

    @property
    def says(self) -> float:
        """Share of its question that it says, in whatever words; 0 where that was not measured."""
        return round(self.measures[NAMES.index("alike")], _DECIMALS) if self.measures else 0.0


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
    """`read` from cells and sentences, `generated` by a model from the passages, or `none`: no answer was found."""
    citations: tuple[Citation, ...]
    """Passages that the text points to, in the order of their numbers; of `none` the place that comes nearest."""
    cells: tuple[Cell, ...] = ()
    """What was read; of a generated answer nothing."""
    is_certain: bool = True
    """False where the text begins with `Perhaps:`."""
    probability: float | None = None
    """0 to 1: that what was read is right; of a generated answer, and of `none`, None."""
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


@dataclass(frozen=True, slots=True)
class Context:
    """The passages for one question."""

    query: str
    """As it was asked; with `…` at the end, where more of it was not read."""
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
        whole_query, query = query, shortened(query)
        looked_at, several = max(most, N_CANDIDATES), self._is_several(query)
        # What the parts are dealt beside begins with what is looked at here.
        wanted = max(looked_at, ALLOCATED_FROM) if several else looked_at
        whole = retriever.retrieve(query, wanted, self.reader.strategy, decisions=False)
        passages = self.measured(query, whole.hits[:looked_at])
        scores = [passage.hit.evidence[RELEVANCE] for passage in passages]
        read_as = whole.receipt.read_as or (None if query == whole_query else query)
        if not scores or max(scores) < least:
            near = passages[0] if scores and max(scores) >= READABLE else None
            return Context(query, (), (query,), why_none(scores, least), retriever.snapshot, near, read_as=read_as)
        parts: tuple[str, ...] = (query,)
        best = passages[0].hit.chunk.id
        dealt = self._dealt(whole, most) if several else None
        if dealt is not None:
            parts = dealt.decomposition.sub_queries
            passages = self._of_parts(dealt, passages[0], most)
        else:
            passages = tuple(passage for passage in passages if passage.hit.evidence[RELEVANCE] >= least)[:most]
        return Context(query, passages, parts, "", retriever.snapshot, best=best, read_as=read_as)

    def measured(self, question: str, hits: Sequence[Hit]) -> tuple[Passage, ...]:
        """Hits of a ranking as passages, the best first, each with its relevance to a question."""
        measured = measures(self.reader.retriever, question, [hit.chunk.id for hit in hits])
        scores = self.reader.calibration.of(measured).tolist()
        return tuple(
            Passage(number, marked(hit, score), question, tuple(values))
            for number, (hit, score, values) in enumerate(zip(hits, scores, measured.tolist(), strict=True), start=1)
        )

    def _of_parts(self, dealt: IterativeResult, best: Passage, most: int) -> tuple[Passage, ...]:
        """The passages of a comparison, each measured for the part that it answers.

        Args:
            dealt: the hits of all parts.
            best: of the whole question; it is among them in any case.
            most: how many.
        """
        known = best.hit.chunk.id in dealt.answers
        hits = dealt.hits if known else (*dealt.hits[: most - 1], best.hit)
        passages = {} if known else {best.hit.chunk.id: best}
        for part in dealt.decomposition.sub_queries:
            own = [hit for hit in hits if dealt.answers.get(hit.chunk.id) == part]
            passages |= {passage.hit.chunk.id: passage for passage in self.measured(part, own)}
        return tuple(replace(passages[hit.chunk.id], number=number) for number, hit in enumerate(hits, start=1))

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
        rounds = self._rounds.retrieve(whole.query, most, whole)
        return rounds if len(rounds.decomposition.sub_queries) > 1 else None
