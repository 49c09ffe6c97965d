"""The passages from which an answer is made, separately for each part of a comparison."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Literal

from retrieval.index.snapshot.snapshot import Snapshot
from retrieval.rag.cells import Cell
from retrieval.rag.rag_context import ContextSource
from retrieval.rag.relevance import N_CANDIDATES, NAMES, marked, measures, why_none
from retrieval.search.metadata_filter import Filter, why_empty
from retrieval.search.query import require_askable, shortened
from retrieval.types import RELEVANCE, Hit, Retrieval
from retrieval.understand.decompose.comparisons import ComparedNames
from retrieval.understand.decompose.facts import IterationSettings
from retrieval.understand.decompose.rounds import ALLOCATED_FROM, IterativeResult, IterativeRetriever

EventName = Literal["search", "context", "generation", "token", "complete", "error"]
Mode = Literal["read", "generated", "none"]

READABLE = 0.15
"""Minimum relevance of a passage that is read, or named as the nearest place if the books do not answer. What is stated
from it has its own probability."""
_DECIMALS = 6
"""Decimals of the share of a question that a passage contains, so that passages with the same words have equal
shares."""


@dataclass(frozen=True, slots=True)
class Passage:
    """A chunk that an answer may use. Key: number."""

    number: int
    """1-based; `[1]` in an answer refers to it."""
    hit: Hit
    """Its `evidence` contains `relevance`, 0 to 1."""
    question: str
    """The question that it answers: the whole one, or a part of a comparison."""
    measures: tuple[float, ...] = ()
    """The measures that relevance is calculated from, in the order of `relevance.NAMES`; empty if it was not
    measured."""

    @property
    def says(self) -> float:
        """Share of its question that it contains, in any wording; 0 if that was not measured."""
        return round(self.measures[NAMES.index("alike")], _DECIMALS) if self.measures else 0.0


@dataclass(frozen=True, slots=True)
class Citation:
    """The source of a part of an answer."""

    number: int
    chunk_id: str
    book: str
    document: str
    lines: tuple[int, int]
    title: str


@dataclass(frozen=True, slots=True)
class Answer:
    """The whole answer to one question."""

    query: str
    text: str
    mode: Mode
    """`read` from cells and sentences, `generated` by a model from the passages, or `none`: no answer was found."""
    citations: tuple[Citation, ...]
    """Passages that the text refers to, in the order of their numbers; for `none`, the nearest place."""
    lines: tuple[str, ...] = ()
    """The lines of the text without what `mode` and `is_certain` say."""
    cells: tuple[Cell, ...] = ()
    """The cells that were read; empty for a generated answer."""
    is_certain: bool = True
    """False if the text begins with `Perhaps:`, or no answer was found."""
    probability: float | None = None
    """0 to 1: the probability that a `read` answer is right; None for the other modes."""
    doubts: tuple[str, ...] = ()
    """Parts of a generated answer that its passages do not contain: numbers, and citations of passages that do not
    exist."""
    snapshot: str = ""
    """Id of the index that answered."""
    read_as: str | None = None
    """The question as it was read, if misspelt words were corrected or it was shortened; else None."""
    model: str | None = None
    server: str | None = None
    """Host name of the model's server."""
    tokens: int = 0
    """Tokens that the model used for prompt and answer; 0 if the server does not report them."""
    usd: float | None = None
    """Cost of the tokens; None if the price of the model on that server or the tokens are unknown."""


@dataclass(frozen=True, slots=True)
class AnswerEvent:
    """A step on the way to an answer; `event` and `data` are those of seed 002."""

    event: EventName
    data: str
    """The current step, a piece of the answer's text, or an error message."""
    passages: tuple[Passage, ...] = ()
    """Only for `context`."""
    answer: Answer | None = None
    """Only for `complete`."""


@dataclass(frozen=True, slots=True)
class Context:
    """The passages for one question."""

    query: str
    """The question as it was asked; shortened, with `…` at the end, if it was too long to be read whole."""
    passages: tuple[Passage, ...]
    """Best first; empty if nothing is relevant enough."""
    parts: tuple[str, ...]
    """The look-ups that a comparison consists of; else only the question."""
    reason: str
    """Why there is no passage."""
    snapshot: Snapshot
    nearest: Passage | None = None
    """If nothing is relevant enough: the best passage, if it is not far from the question."""
    best: str | None = None
    """Chunk id of the best passage for the whole question, which may not be the first passage of a comparison."""
    read_as: str | None = None
    """The question as it was read, if misspelt words were corrected or it was shortened; else None."""


class Gatherer:
    """Gathers the passages of questions from one snapshot. Any number of threads may share one."""

    def __init__(self, reader: ContextSource) -> None:
        self.reader = reader

    @cached_property
    def _names(self) -> ComparedNames:
        return ComparedNames(self.reader.retriever.snapshot.chunks)

    @cached_property
    def _rounds(self) -> IterativeRetriever:
        # The parts get hits from their own rankings: a second round would change nothing.
        return IterativeRetriever(
            self.reader.retriever,
            settings=IterationSettings(max_iterations=1),
            names=self._names,
            strategy=self.reader.strategy,
        )

    def gather(self, query: str, most: int, least: float, where: Filter | None = None) -> Context:
        """Return the passages of a question.

        Args:
            query: 1 to 2,000 characters.
            where: restricts the passages by their metadata.
            least: minimum relevance of each passage, 0 to 1; for a comparison, only of the best passage for the whole
                question.

        Raises:
            InvalidQueryError: the question is empty or too long.
            UnknownNameError: `where` names a key that no chunk has.
            EmbeddingFailureError: the question could not be embedded.
        """
        require_askable(query)
        retriever = self.reader.retriever
        whole_query, query = query, shortened(query)
        looked_at, several = max(most, N_CANDIDATES), self._is_several(query)
        # The ranking that the parts' hits are combined with begins with the hits measured here.
        wanted = max(looked_at, ALLOCATED_FROM) if several else looked_at
        whole = retriever.retrieve(query, wanted, self.reader.strategy, where=where, decisions=False)
        passages = self.measured(query, whole.hits[:looked_at])
        scores = [passage.hit.evidence[RELEVANCE] for passage in passages]
        read_as = whole.receipt.read_as or (None if query == whole_query else query)
        if not scores or max(scores) < least:
            near = passages[0] if scores and max(scores) >= READABLE else None
            reason = why_empty(where, retriever.snapshot.metadata) or why_none(scores, least)
            return Context(query, (), (query,), reason, retriever.snapshot, near, read_as=read_as)
        parts: tuple[str, ...] = (query,)
        best = passages[0].hit.chunk.id
        dealt = self._dealt(whole, most, where) if several else None
        if dealt is not None:
            parts = dealt.decomposition.sub_queries
            passages = self._of_parts(dealt, passages[0], most)
        else:
            passages = tuple(passage for passage in passages if passage.hit.evidence[RELEVANCE] >= least)[:most]
        return Context(query, passages, parts, "", retriever.snapshot, best=best, read_as=read_as)

    def measured(self, question: str, hits: Sequence[Hit]) -> tuple[Passage, ...]:
        """Return hits of a ranking as passages, best first, each with its relevance to a question."""
        measured = measures(self.reader.retriever, question, [hit.chunk.id for hit in hits])
        scores = self.reader.calibration.of(measured).tolist()
        return tuple(
            Passage(number, marked(hit, score), question, tuple(values))
            for number, (hit, score, values) in enumerate(zip(hits, scores, measured.tolist(), strict=True), start=1)
        )

    def _of_parts(self, dealt: IterativeResult, best: Passage, most: int) -> tuple[Passage, ...]:
        """Return the passages of a comparison, each measured for the part that it answers.

        Args:
            dealt: the hits of all parts.
            best: the best passage for the whole question, which is always included.
        """
        known = best.hit.chunk.id in dealt.answers
        hits = dealt.hits if known else (*dealt.hits[: most - 1], best.hit)
        passages = {} if known else {best.hit.chunk.id: best}
        for part in dealt.decomposition.sub_queries:
            own = [hit for hit in hits if dealt.answers.get(hit.chunk.id) == part]
            passages |= {passage.hit.chunk.id: passage for passage in self.measured(part, own)}
        return tuple(replace(passages[hit.chunk.id], number=number) for number, hit in enumerate(hits, start=1))

    def _is_several(self, query: str) -> bool:
        """Whether a question seems to consist of several."""
        return len(self._rounds.decomposer.decompose(query).sub_queries) > 1

    def _dealt(self, whole: Retrieval, most: int, where: Filter | None) -> IterativeResult | None:
        """Return the answers of each part of a comparison; None if the answers show that it is not a comparison.

        Args:
            whole: the retrieval for the whole question.
        """
        rounds = self._rounds.retrieve(whole.query, most, whole, where=where)
        return rounds if len(rounds.decomposition.sub_queries) > 1 else None
