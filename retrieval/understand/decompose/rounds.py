"""Search in rounds: a question is split, searched broadly, and reworded if facts are missing."""

import logging
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from time import monotonic

from retrieval.errors import InvalidQueryError, QueryAnalysisError
from retrieval.search.metadata_filter import Filter
from retrieval.search.retriever import Retriever
from retrieval.search.strategies import strategy as strategy_named
from retrieval.strategy import Strategy
from retrieval.types import Hit, Retrieval
from retrieval.understand.decompose.allocation import Allocation, deal
from retrieval.understand.decompose.comparisons import ComparedNames
from retrieval.understand.decompose.decomposition import Decomposer, Decomposition, RuleDecomposer
from retrieval.understand.decompose.facts import (
    Decider,
    Fact,
    IterationDecision,
    IterationSettings,
    Progress,
    RuleDecider,
)
from retrieval.understand.hints import HintConfig, HintedSearch, Relevance

log = logging.getLogger(__name__)
ALLOCATED_FROM = 40
"""Hits of each part from which a comparison gets its hits."""


@dataclass(frozen=True, slots=True)
class IterativeResult:
    """The result of a search in rounds, and how it was found."""

    hits: tuple[Hit, ...]
    """For a comparison: the best answer of each part in turn; else by adjusted relevance."""
    answers: dict[str, str]
    """The sub-query that each hit answers, by chunk id."""
    decomposition: Decomposition
    facts: tuple[Fact, ...]
    """In the order in which they were found."""
    decisions: tuple[IterationDecision, ...]
    """One after each round."""
    executed_queries: tuple[str, ...]
    stopped: str
    """Why there was no other round."""


class IterativeRetriever:
    """Gathers facts for a question in rounds. Any number of threads may share one.

    Args:
        decomposer: splits questions; None: by rules.
        decider: decides after each round; None: by rules.
        category_key: metadata key of the categories, or several.
        clock: returns the time in seconds.
        names: the names in the index; None: they are read from it.
        strategy: how each sub-query is searched.
        relevance: measures the relevance that the decider uses; `rag.relevance.relevance_of` is calibrated. None: a
            function of the score, which does not show whether a question is answered at all.
    """

    def __init__(
        self,
        retriever: Retriever,
        decomposer: Decomposer | None = None,
        decider: Decider | None = None,
        *,
        hints: HintConfig = HintConfig(),  # noqa: B008
        settings: IterationSettings = IterationSettings(),  # noqa: B008
        category_key: str | Sequence[str] = "category",
        clock: Callable[[], float] = monotonic,
        names: ComparedNames | None = None,
        strategy: str | Strategy = "default",
        relevance: Relevance | None = None,
    ) -> None:
        self.retriever, self.settings, self.clock, self.strategy = retriever, settings, clock, strategy
        self.hinted = HintedSearch(hints, category_key, relevance, log_odds=strategy_named(strategy).reranks)
        columns = retriever.snapshot.metadata.columns
        keys = (category_key,) if isinstance(category_key, str) else category_key
        self.categories = list(dict.fromkeys(text for key in keys if key in columns for text in columns[key].texts))
        self.decomposer = decomposer or RuleDecomposer(
            names or ComparedNames(retriever.snapshot.chunks), self.categories
        )
        self.decider = decider or RuleDecider(settings.enough)

    def retrieve(
        self,
        query: str,
        top_k: int = 10,
        whole: Retrieval | None = None,
        *,
        where: Filter | None = None,
        decomposition: Decomposition | None = None,
    ) -> IterativeResult:
        """Return the facts of a question.

        Args:
            query: 1 to 2,000 characters.
            whole: the first `ALLOCATED_FROM` hits of `strategy` for the question; None: they are searched if needed.
            where: restricts which chunks may be returned.
            decomposition: the decomposition of the question, if known; None: the decomposer makes it.

        Raises:
            InvalidQueryError: the question is empty or too long, or `top_k` is less than 1.
        """
        if top_k < 1:
            raise InvalidQueryError(f"top_k is {top_k}; ask for at least 1")
        search = _Rounds(self, query, decomposition or self.decomposed(query)[0], top_k, whole, where)
        dealt, stopped = None, search.run()
        if search.parts:
            dealt = search.dealt()
            if search.decomposition.tentative and not dealt.alike:
                log.info("The answers of the parts are not similar: the question is searched as it is.")
                whole = search.find(query, ALLOCATED_FROM)
                search = _Rounds(self, query, search.decomposition.whole(query), top_k, whole, where)
                dealt, stopped = None, search.run()
        hits, answers = (dealt.hits, dict(dealt.parts)) if dealt else search.best()
        return IterativeResult(
            hits,
            answers,
            search.decomposition,
            search.facts,
            tuple(search.decisions),
            tuple(search.executed),
            stopped,
        )

    def decided(self, progress: Progress) -> IterationDecision:
        """Return the decision on the next round; a decision to stop if the decider fails."""
        try:
            return self.decider.decide(progress)
        except QueryAnalysisError as error:
            log.warning("No further round is made: %s", error)
            return IterationDecision(False, reasoning=f"no decision: {error}")

    def decomposed(self, query: str) -> tuple[Decomposition, str]:
        """Return the decomposition of a question and an empty string; if the decomposer fails, the question as its only
        part and the reason.

        Raises:
            InvalidQueryError: the question is empty or too long.
        """
        try:
            return self.decomposer.decompose(query), ""
        except QueryAnalysisError as error:
            if isinstance(self.decomposer, RuleDecomposer):
                raise InvalidQueryError(str(error)) from error
            log.warning("The question is searched as it is: %s", error)
            return Decomposition(main_intent=query, sub_queries=(query,)), str(error)


class _Rounds:
    """The state of one question."""

    def __init__(
        self,
        retriever: IterativeRetriever,
        query: str,
        decomposition: Decomposition,
        k: int,
        whole: Retrieval | None,
        where: Filter | None,
    ) -> None:
        self._retriever, self._query, self.decomposition, self._where = retriever, query, decomposition, where
        usual = retriever.settings.results_per_sub_query
        self.parts = decomposition.sub_queries if len(decomposition.sub_queries) > 1 else ()
        self._k, self._kept = k, usual if self.parts else max(usual, k)
        self._started = retriever.clock()
        self._facts: dict[str, Fact] = {}
        self._rankings: dict[str, tuple[int, Retrieval]] = {query: (ALLOCATED_FROM, whole)} if whole is not None else {}
        self.executed: list[str] = []
        self.decisions: list[IterationDecision] = []

    @property
    def facts(self) -> tuple[Fact, ...]:
        return tuple(self._facts.values())

    def find(self, sub_query: str, k: int) -> Retrieval:
        """Return the k best for a sub-query. A part of a comparison is searched once, to the depth that it needs."""
        depth, retrieval = self._rankings.get(sub_query, (0, None))
        if retrieval is None or depth < k:
            depth = max(k, ALLOCATED_FROM) if sub_query in self.parts else k
            retrieval = self._retriever.retriever.retrieve(
                sub_query, depth, self._retriever.strategy, where=self._where, decisions=False
            )
            if self.parts:
                self._rankings[sub_query] = depth, retrieval
        return replace(retrieval, hits=retrieval.hits[:k])

    def dealt(self) -> Allocation:
        """Return the answers of all parts, in turn."""
        whole, *of_parts = (self.find(part, ALLOCATED_FROM) for part in (self._query, *self.parts))
        return deal(whole, of_parts, self._k)

    def best(self) -> tuple[tuple[Hit, ...], dict[str, str]]:
        """Return the best facts, and the sub-query that each answers, by chunk id."""
        # A later round searches less precisely: its facts rank behind, unless only they answer.
        enough = self._retriever.settings.enough
        late = self._retriever.hinted.relevance is not None and not any(
            fact.iteration == 1 and fact.hinted.relevance >= enough for fact in self.facts
        )

        def rank(fact: Fact) -> tuple[bool, int, float]:
            misses = late and fact.hinted.relevance < enough
            return misses, fact.iteration, -fact.hinted.adjusted_relevance

        best = sorted(self.facts, key=rank)[: self._k]
        return tuple(fact.hinted.hit for fact in best), {fact.hinted.hit.chunk.id: fact.sub_query for fact in best}

    def run(self) -> str:
        """Run the rounds; return why there is no other."""
        settings = self._retriever.settings
        queries, focus = self.decomposition.sub_queries, self.decomposition.category_hints
        rewords: Mapping[str, str] = {}
        for iteration in range(1, settings.max_iterations + 1):
            self._round(queries, focus, rewords, iteration)
            decision = self._retriever.decided(self._progress(iteration))
            self.decisions.append(decision)
            queries = tuple(query for query in decision.next_sub_queries if query not in self.executed)
            rewords = decision.rewords
            focus = tuple(category for category in decision.category_focus if category in self._retriever.categories)
            if not decision.continue_iteration or not queries:
                return decision.reasoning or "nothing is left to ask"
            if spent := self._spent():
                return spent
        return f"{settings.max_iterations} rounds were made"

    def _round(
        self, sub_queries: Sequence[str], focus: Sequence[str], rewords: Mapping[str, str], iteration: int
    ) -> None:
        weights = self.decomposition.category_weights if iteration == 1 else {}
        may_broaden = iteration < self._retriever.settings.max_iterations
        for sub_query in sub_queries:
            self.executed.append(sub_query)
            part = rewords.get(sub_query, sub_query)
            ranked = self._retriever.hinted.search(
                sub_query, self._kept, focus, weights, self.find, may_broaden=may_broaden, part=part
            )
            for hit in ranked:
                self._facts.setdefault(hit.hit.chunk.id, Fact(hit, sub_query, iteration, part))

    def _progress(self, iteration: int) -> Progress:
        most = self._retriever.settings.max_iterations
        return Progress(self._query, self.decomposition, tuple(self.executed), self.facts, iteration, most)

    def _spent(self) -> str | None:
        """Return a sentence if a budget is used up."""
        settings = self._retriever.settings
        seconds = self._retriever.clock() - self._started
        tokens = self.decomposition.tokens + sum(decision.tokens for decision in self.decisions)
        if seconds > settings.max_seconds or tokens > settings.max_tokens:
            return f"the budget is used up: {seconds:.1f} s, {tokens:,} tokens"
        return None
