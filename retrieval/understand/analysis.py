"""What a question says beside its topic: the records of seed 003, in which the analyzers answer."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date
from enum import Enum
from typing import Protocol

from retrieval.errors import QueryAnalysisError
from retrieval.index.snapshot.metadata_index import Scalar
from retrieval.search.query import MAX_CHARACTERS

Span = tuple[int, int]
"""First character in the question, and the one after the last."""


class QueryIntent(Enum):
    """What a question wants."""

    SEARCH = "search"
    """The best documents for a topic; no condition on metadata."""
    FILTER = "filter"
    """Every document that meets the conditions; no topic is left."""
    COMBINED = "combined"
    """The best documents for a topic among those that meet the conditions."""
    AGGREGATE = "aggregate"
    """How many there are, or how many of each value."""


class FilterOperator(Enum):
    """The comparisons and connections of a filter, spelled as Chroma spells them."""

    EQ = "$eq"
    NE = "$ne"
    GT = "$gt"
    GTE = "$gte"
    LT = "$lt"
    LTE = "$lte"
    IN = "$in"
    NIN = "$nin"
    CONTAINS = "$contains"
    AND = "$and"
    OR = "$or"


@dataclass(frozen=True, slots=True)
class Entity:
    """A value of the metadata that a question names."""

    text: str
    """As the question writes it."""
    field: str
    value: Scalar
    operator: FilterOperator
    confidence: float
    """0 to 1: how sure it is that the value is a condition and not a part of the topic."""
    span: Span
    negated: bool = False
    group: int = 0
    """Entities of one group are alternatives: one of them is enough, or none of them where they are negated."""


@dataclass(frozen=True, slots=True)
class TemporalRef:
    """A time that a question names."""

    text: str
    start: date | None
    """The first day; None: open."""
    end: date | None
    """The last day; None: open."""
    confidence: float
    span: Span
    field: str | None = None
    """Which date is meant; None: the index has none."""
    negated: bool = False


@dataclass(frozen=True, slots=True)
class UnknownValue:
    """A value that a question asks of a field and that no document has."""

    text: str
    """As the question writes it."""
    field: str


@dataclass(frozen=True, slots=True)
class QueryAnalysis:
    """What a question says. Key: original_query."""

    original_query: str
    intent: QueryIntent
    entities: tuple[Entity, ...] = ()
    temporal_refs: tuple[TemporalRef, ...] = ()
    attributes: Mapping[str, tuple[Scalar, ...]] = field(default_factory=dict)
    """By field: the values that are asked for or refused."""
    confidence: float = 1.0
    """0 to 1: of the least certain condition; 1 where there is none."""
    topic: str = ""
    """What is left of the question without its conditions; empty where only conditions are asked."""
    grouped_by: str | None = None
    """The field whose values are counted, in an aggregate."""
    explanation: str = ""
    """One sentence: how the question was read."""
    unknown: tuple[UnknownValue, ...] = ()
    """Values that were asked for and that no document has: no condition is made of them."""
    tokens: int = 0
    """That a model was paid for."""


def require_readable(query: str) -> None:
    """See that a question can be read.

    Raises:
        QueryAnalysisError: it is empty, or longer than 2,000 characters.
    """
    if not query.strip() or len(query) > MAX_CHARACTERS:
        raise QueryAnalysisError(
            f"the question has {len(query)} characters; ask one of 1 to {MAX_CHARACTERS} that are not all blank"
        )


class Analyzer(Protocol):
    """Whoever reads questions."""

    async def analyze(self, query: str) -> QueryAnalysis:
        """What the question says.

        Raises:
            QueryAnalysisError: the question cannot be analyzed.
        """
