"""Search in rounds: a question is taken apart, searched broadly, and asked again where facts are missing."""

import logging
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from time import monotonic

from retrieval.errors import InvalidQueryError, QueryAnalysisError
from retrieval.search.retriever import Retriever
from retrieval.types import Hit, Retrieval
from retrieval.understand.decompose.decomposer import RuleDecomposer
from retrieval.understand.decompose.decomposition import Decomposer, Decomposition
from retrieval.understand.decompose.merging import Dealt, deal
from retrieval.understand.decompose.names import Names
from retrieval.understand.iterate.facts import Decider, Fact, IterationDecision, Progress, RuleDecider
from retrieval.understand.iterate.hints import HintConfig, HintedHit, rerank_by_categories

log = logging.getLogger(__name__)
_FALLBACK = 2
"""Times as many hits as usual are asked for where a search found nothing."""
DEALT_FROM = 40
"""Hits of each part that a comparison is dealt from."""

Find = Callable[[str, int], Retrieval]
"""(sub-query, k) -> the k best."""


@dataclass(frozen=True, slots=True)
class IterationSettings:
    """How long a search in rounds may go on.

    Raises:
        InvalidQueryError: a number is less than its least.
    """

    max_iterations: int = 3
    results_per_sub_query: int = 5
    max_seconds: float = 30.0
    """No round begins later."""
    max_tokens: int = 20_000
    """No round begins after models were paid for more."""

    def __post_init__(self) -> None:
        for name, least in (("max_iterations", 1), ("results_per_sub_query", 1), ("max_seconds", 0), ("max_tokens", 0)):
            if getattr(self, name) < least:
                raise InvalidQueryError(f"{name} is {getattr(self, name)}; give at least {least}")


@dataclass(frozen=True, slots=True)
class IterativeResult:
    """What was found, and how."""

    hits: tuple[Hit, ...]
    """Of a comparison: the best answer of each part in turn; else by adjusted relevance."""
    answers: dict[str, str]
    """By chunk id: the sub-query that the hit answers."""
    decomposition: Decomposition
    facts: tuple[Fact, ...]
    """In the order in which they were found."""
    decisions: tuple[IterationDecision, ...]
    """One after each round."""
    executed_queries: tuple[str, ...]
    stopped: str
    """Why no further round was made."""


class IterativeRetriever:
    """Gathers facts for a question in rounds. Any number of threads may share one.

    Args:
        retriever: over the index.
        decomposer: takes questions apart; else by rules.
        decider: decides after each round; else by rules.
        hints: settings of the category hints.
        settings: bounds.
        category_key: metadata key of the categories.
        clock: seconds.
        names: of what is in the index; else they are read from it.
        strategy: how each sub-query is searched.
    """

    def __init__(
        self,
        retriever: Retriever,
        decomposer: Decomposer | None = None,
        decider: Decider | None = None,
        *,
        hints: HintConfig = HintConfig(),  # noqa: B008
        settings: IterationSettings = IterationSettings(),
        category_key: str = "category",
        clock: Callable[[], float] = monotonic,
        names: Names | None = None,
        strategy: str = "default",
    ) -> None:
        self.retriever, self.hints, self.settings = retriever, hints, settings
        self.category_key, self._clock, self.strategy = category_key, clock, strategy
        column = retriever.snapshot.metadata.columns.get(category_key)
        self.categories = list(column.texts) if column else []
        self.decomposer = decomposer or RuleDecomposer(names or Names(retriever.snapshot.chunks), self.categories)
        self.decider = decider or RuleDecider()

    def retrieve(self, query: str, top_k: int = 10, whole: Retrieval | None = None) -> IterativeResult:
        """The facts of a question.

        Args:
            query: 1 to 2,000 characters.
            top_k: how many hits at most.
            whole: the first `DEALT_FROM` that `strategy` finds for the question; None: they are searched where needed.

        Raises:
            InvalidQueryError: the question is empty or too long, or `top_k` is less than 1.
        """
        if top_k < 1:
            raise InvalidQueryError(f"top_k is {top_k}; ask for at least 1")
        search = _Rounds(self, query, self._decomposed(query), top_k, whole)
        dealt, stopped = None, search.run()
        if search.parts:
            dealt = search.dealt()
            if search.decomposition.tentative and not dealt.alike:
                log.info("The answers of the parts are not alike: the question is searched as it is.")
                whole = search.find(query, DEALT_FROM)
                search = _Rounds(self, query, search.decomposition.whole(query), top_k, whole)
                dealt, stopped = None, search.run()
        hits, answers = (dealt.hits, dict(dealt.parts)) if dealt else search.best()
        return IterativeResult(
            hits, answers, search.decomposition, search.found, tuple(search.decisions), tuple(search.executed), stopped
        )

    def searched(
        self,
        sub_query: str,
        kept: int,
        hints: Sequence[str],
        weights: Mapping[str, float],
        find: Find,
        *,
        may_broaden: bool,
    ) -> tuple[HintedHit, ...]:
        """What one sub-query finds: of a broad search the best, those of hinted categories raised."""
        log.info("Executing vector search with category hints: %s", list(hints))
        broad = find(sub_query, kept * self.hints.broaden_search_multiplier)
        ranked = rerank_by_categories(broad.hits, hints, weights, self.hints, self.category_key)[:kept]
        log.info("Retrieved %d chunks after re-ranking.", len(ranked))
        if not ranked and self.hints.fallback_on_empty_results and may_broaden:
            log.warning("No results found. Attempting broader search without hints.")
            broader = find(sub_query, kept * _FALLBACK)
            log.info("Fallback search found %d results.", len(broader.hits))
            ranked = rerank_by_categories(broader.hits, (), {}, self.hints, self.category_key)
        return ranked

    def seconds(self) -> float:
        """Of the clock."""
        return self._clock()

    def decided(self, progress: Progress) -> IterationDecision:
        """What comes next; the end where the decider cannot say."""
        try:
            return self.decider.decide(progress)
        except QueryAnalysisError as error:
            log.warning("No further round is made: %s", error)
            return IterationDecision(False, reasoning=f"no decision: {error}")

    def _decomposed(self, query: str) -> Decomposition:
        try:
            return self.decomposer.decompose(query)
        except QueryAnalysisError as error:
            if isinstance(self.decomposer, RuleDecomposer):
                raise InvalidQueryError(str(error)) from error
            log.warning("The question is searched as it is: %s", error)
            return Decomposition(main_intent=query, sub_queries=(query,))


class _Rounds:
    """One question on its way."""

    def __init__(
        self, retriever: IterativeRetriever, query: str, decomposition: Decomposition, k: int, whole: Retrieval | None
    ) -> None:
        self._retriever, self._query, self.decomposition = retriever, query, decomposition
        usual = retriever.settings.results_per_sub_query
        self.parts = decomposition.sub_queries if len(decomposition.sub_queries) > 1 else ()
        self._k, self._kept = k, usual if self.parts else max(usual, k)
        self._started = retriever.seconds()
        self._facts: dict[str, Fact] = {}
        self._rankings: dict[str, tuple[int, Retrieval]] = {query: (DEALT_FROM, whole)} if whole is not None else {}
        self.executed: list[str] = []
        self.decisions: list[IterationDecision] = []

    @property
    def found(self) -> tuple[Fact, ...]:
        return tuple(self._facts.values())

    def find(self, sub_query: str, k: int) -> Retrieval:
        """The k best for a sub-query. What is dealt is searched once, as far as it will be dealt from."""
        asked, found = self._rankings.get(sub_query, (0, None))
        if found is None or asked < k:
            asked = max(k, DEALT_FROM) if sub_query in self.parts else k
            found = self._retriever.retriever.retrieve(sub_query, asked, self._retriever.strategy, decisions=False)
            if self.parts:
                self._rankings[sub_query] = asked, found
        return replace(found, hits=found.hits[:k])

    def dealt(self) -> Dealt:
        """The answers of all parts, in turn."""
        whole, *found = (self.find(each, DEALT_FROM) for each in (self._query, *self.parts))
        return deal(whole, found, self._k)

    def best(self) -> tuple[tuple[Hit, ...], dict[str, str]]:
        """The best facts, and by chunk id the sub-query that each answers."""
        # A later round asks less exactly: what it finds comes behind.
        best = sorted(self.found, key=lambda fact: (fact.iteration, -fact.found.adjusted_relevance))[: self._k]
        return tuple(fact.found.hit for fact in best), {fact.found.hit.chunk.id: fact.sub_query for fact in best}

    def run(self) -> str:
        """Make rounds; say why there is no further one."""
        settings = self._retriever.settings
        asked, focus = self.decomposition.sub_queries, self.decomposition.category_hints
        for iteration in range(1, settings.max_iterations + 1):
            self._round(asked, focus, iteration)
            decision = self._retriever.decided(self._progress(iteration))
            self.decisions.append(decision)
            asked = tuple(each for each in decision.next_sub_queries if each not in self.executed)
            focus = tuple(each for each in decision.category_focus if each in self._retriever.categories)
            if not decision.continue_iteration or not asked:
                return decision.reasoning or "nothing is left to ask"
            if spent := self._spent():
                return spent
        return f"{settings.max_iterations} rounds were made"

    def _round(self, asked: Sequence[str], focus: Sequence[str], iteration: int) -> None:
        weights = self.decomposition.category_weights if iteration == 1 else {}
        may_broaden = iteration < self._retriever.settings.max_iterations
        for sub_query in asked:
            self.executed.append(sub_query)
            hinted = self._retriever.searched(sub_query, self._kept, focus, weights, self.find, may_broaden=may_broaden)
            for found in hinted:
                self._facts.setdefault(found.hit.chunk.id, Fact(found, sub_query, iteration))

    def _progress(self, iteration: int) -> Progress:
        most = self._retriever.settings.max_iterations
        return Progress(self._query, self.decomposition, tuple(self.executed), self.found, iteration, most)

    def _spent(self) -> str | None:
        """That a budget is used up."""
        settings = self._retriever.settings
        seconds = self._retriever.seconds() - self._started
        tokens = self.decomposition.tokens + sum(each.tokens for each in self.decisions)
        if seconds > settings.max_seconds or tokens > settings.max_tokens:
            return f"the budget is used up: {seconds:.1f} s, {tokens:,} tokens"
        return None
