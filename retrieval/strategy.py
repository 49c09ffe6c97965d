"""A way of searching, said completely: which legs, which weights, what the predicates do."""

from dataclasses import dataclass
from typing import Literal

DEFAULT_K = 15
"""How many chunks a search gives where nobody asks for another number: what an assistant is shown."""

OFFERED = ("bm25", "dense", "hybrid", "hybrid_graph", "iterative", "prefilter", "default")
"""Names of the strategies that users are offered, and that every build with questions scores."""

QueryMustMode = Literal["off", "iterative", "prefilter"]
Relation = Literal["contains", "next", "describes", "has_trait", "see", "similar", "mentions"]


@dataclass(frozen=True, slots=True)
class GraphBoost:
    """How chunks near the best ones in the graph are raised; the published plan's recommended numbers."""

    relations: tuple[Relation, ...] = ("contains", "next", "describes", "has_trait", "see", "similar")
    """Edges that are followed, in both directions."""
    seeds: int = 3
    """Best chunks that the walk begins at."""
    depth: int = 2
    """Edges at most between a seed and a raised chunk."""
    candidates: int = 50
    """Only this many of the best chunks can be raised."""
    decay: float = 0.4
    """Each further edge counts this share of the one before."""
    boost: float = 0.05
    """What a direct neighbour of one seed gains, in the unit of the fused score."""


@dataclass(frozen=True, slots=True)
class ModelOrder:
    """A model that puts the first hits in order."""

    by: Literal["chat", "cross_encoder"]
    """A chat model on a server, or a cross-encoder of the sentence-transformers library on this machine."""
    model: str
    first: int = 20
    """How many hits it is shown."""
    must: bool = False
    """Raise where there is no order of its own, in place of leaving the hits as they stand; scores want that."""


@dataclass(frozen=True, slots=True)
class Strategy:
    """Says completely how to search. Key: name."""

    name: str
    lexical_weight: float = 0.0
    dense_weight: float = 0.0
    query_must: QueryMustMode = "off"
    reranks: bool = False
    """Put candidates in the order of trees that see how words and numbers fit together; no leg has a weight then."""
    trees: str | None = None
    """File of those trees; None: the ones that ship."""
    max_iterations: int = 3
    """Rounds of the `iterative` mode."""
    graph: GraphBoost | None = None
    collapse: float | None = None
    """Rows that are so far behind the best of their table, in the re-ranker's scores, stand behind all other results;
    None: every row stays in its place."""
    companions: int = 0
    """Places behind the contenders that go to what stands beside the first row: notes, lead, section, references."""
    order: ModelOrder | None = None
    """A model that has the last word on the first hits."""

    @property
    def scans(self) -> bool:
        """Whether every chunk gets a score of its own; otherwise only the nearest are looked for."""
        return self.has_lexical_leg or self.graph is not None

    @property
    def has_lexical_leg(self) -> bool:
        """Whether BM25 is part of the score."""
        return bool(self.lexical_weight or self.reranks)

    @property
    def has_dense_leg(self) -> bool:
        """Whether the question is embedded."""
        return bool(self.dense_weight or self.reranks)
