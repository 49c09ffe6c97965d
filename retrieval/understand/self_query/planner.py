"""In which order conditions and topic are looked at, by how many documents the conditions leave."""

from dataclasses import dataclass
from enum import Enum

from retrieval.understand.analysis import QueryAnalysis, QueryIntent
from retrieval.understand.catalog.words import keys

HIGH, LOW = 0.1, 0.5
"""A filter that leaves at most a tenth of the documents is highly selective, one that leaves more than half hardly."""
COMPLEX = 8
"""A topic of so many words is complex."""


class ExecutionStrategy(Enum):
    """The three of seed 003."""

    FILTER_FIRST = "filter-first"
    SEARCH_FIRST = "search-first"
    PARALLEL = "parallel"


@dataclass(frozen=True, slots=True)
class QueryPlan:
    """What is done, and why."""

    strategy: ExecutionStrategy
    reason: str
    selectivity: float
    """Share of the documents that the conditions leave, counted; 1 without conditions."""


@dataclass(frozen=True, slots=True)
class QueryPlanner:
    """The decision matrix of seed 003; several rows may hold, and the first in its order counts.

    Our own index filters by a mask within one scan, so that the three give the same documents at the same cost; the
    plan says which one the matrix asks for.
    """

    def plan(self, analysis: QueryAnalysis, n_conditions: int, n_left: int, n_documents: int) -> QueryPlan:
        """The strategy for a question.

        Args:
            analysis: of the question.
            n_conditions: how many are used.
            n_left: documents that meet them.
            n_documents: all.
        """
        share = n_left / n_documents if n_documents else 1.0
        if not n_conditions:
            return QueryPlan(ExecutionStrategy.SEARCH_FIRST, "the question asks nothing of the metadata", 1.0)
        left = f"the conditions leave {n_left} of {n_documents} documents"
        if analysis.intent is not QueryIntent.FILTER and len(keys(analysis.topic)) >= COMPLEX:
            return QueryPlan(ExecutionStrategy.SEARCH_FIRST, f"the topic is complex; {left}", share)
        if share <= HIGH:
            return QueryPlan(ExecutionStrategy.FILTER_FIRST, f"{left}: highly selective", share)
        if n_conditions > 1:
            return QueryPlan(ExecutionStrategy.PARALLEL, f"there are {n_conditions} conditions; {left}", share)
        if share > LOW:
            return QueryPlan(ExecutionStrategy.SEARCH_FIRST, f"{left}: hardly selective", share)
        return QueryPlan(ExecutionStrategy.FILTER_FIRST, left, share)
