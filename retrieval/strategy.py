"""A complete search strategy: its legs, their weights, and the effect of predicates."""

from dataclasses import dataclass
from typing import Literal

DEFAULT_K = 15
"""The default number of chunks of a search: as many as an assistant is shown."""

OFFERED = ("bm25", "dense", "hybrid", "hybrid_graph", "iterative", "prefilter", "default")
"""Names of the strategies that users are offered, and that every build with questions scores."""

QueryMustMode = Literal["off", "iterative", "prefilter"]
Relation = Literal["contains", "next", "describes", "has_trait", "see", "similar", "mentions"]


@dataclass(frozen=True, slots=True)
class GraphBoost:
    """How chunks near the best ones in the graph are raised; the recommended numbers of the published plan."""

    relations: tuple[Relation, ...] = ("contains", "next", "describes", "has_trait", "see", "similar")
    """Edges that are followed, in both directions."""
    seeds: int = 3
    """The number of best chunks at which the walk begins."""
    depth: int = 2
    """The most edges between a seed and a raised chunk."""
    candidates: int = 50
    """Only this many of the best chunks can be raised."""
    decay: float = 0.4
    """Factor for each further edge."""
    boost: float = 0.05
    """The gain of a direct neighbour of one seed, in the unit of the fused score."""


@dataclass(frozen=True, slots=True)
class ModelOrder:
    """A model that orders the first hits."""

    by: Literal["chat", "cross_encoder"]
    """A chat model on a server, or a cross-encoder of the sentence-transformers library on this machine."""
    model: str
    first: int = 20
    """The number of hits that it is shown."""
    must: bool = False
    """Whether to raise an error if it returns no order, instead of leaving the hits in place; scoring requires this."""


@dataclass(frozen=True, slots=True)
class Strategy:
    """A complete description of how to search. Key: name."""

    name: str
    lexical_weight: float = 0.0
    dense_weight: float = 0.0
    query_must: QueryMustMode = "off"
    reranks: bool = False
    """Whether candidates are ordered by trees that measure how words and numbers fit together; no leg has a weight
    then."""
    trees: str | None = None
    """File of those trees; None: the built-in ones."""
    max_iterations: int = 3
    """Rounds of the `iterative` mode."""
    graph: GraphBoost | None = None
    collapse: float | None = None
    """Rows whose re-ranker score is this much below the best of their table are moved behind all other results; None:
    every row stays in its place."""
    companions: int = 0
    """Places after the contenders for context of the first row: notes, lead, section, references."""
    prose_among: int = 0
    """How many of the nearest candidates may contain the prose that gets the third place; 0: none gets it."""
    order: ModelOrder | None = None
    """A model that finally orders the first hits."""

    @property
    def scans(self) -> bool:
        """Whether every chunk gets its own score; otherwise only the nearest are searched for."""
        return self.has_lexical_leg or self.graph is not None

    @property
    def has_lexical_leg(self) -> bool:
        """Whether BM25 is part of the score."""
        return bool(self.lexical_weight or self.reranks)

    @property
    def has_dense_leg(self) -> bool:
        """Whether the question is embedded."""
        return bool(self.dense_weight or self.reranks)
