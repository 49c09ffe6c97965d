"""A way of searching, said completely: which legs, which weights, what the predicates do."""

from dataclasses import dataclass
from typing import Literal

QueryMustMode = Literal["off", "iterative", "prefilter"]


@dataclass(frozen=True, slots=True)
class EvidenceWeights:
    """How much each part of the evidence for a chunk counts; every part lies in 0-1."""

    lexical: float = 0.0
    """BM25, as a share of the best."""
    dense: float = 0.0
    """Cosine."""
    text: float = 0.0
    """Share of the question that stands anywhere in the chunk."""
    title: float = 0.0
    """... in the nearest headings and the caption of the table."""
    column: float = 0.0
    """... in the column names."""
    head: float = 0.0
    """... in the nearest headings of the chunk, tables and prose alike."""
    name: float = 0.0
    """... in names of the chunk that the question says whole."""
    quote: float = 0.0
    """... in cells with a letter that the question quotes whole."""
    figure: float = 0.0
    """... in cells without a letter that it quotes whole."""
    number: float = 0.0
    """Labels with a number that the row stands for (`7th level`, `AC 6`)."""
    axis: float = 0.0
    """Labels with a number that the table has a column for."""

    def items(self) -> tuple[tuple[str, float], ...]:
        """(part, weight) in a fixed order."""
        return tuple((name, getattr(self, name)) for name in self.__dataclass_fields__)


@dataclass(frozen=True, slots=True)
class Strategy:
    """Says completely how to search. Key: name."""

    name: str
    lexical_weight: float = 0.0
    dense_weight: float = 0.0
    query_must: QueryMustMode = "off"
    evidence: "EvidenceWeights | None" = None
    """Rank by evidence, in these weights; both legs are parts of it, so their own weights are not used."""
    max_iterations: int = 3
    """Rounds of the `iterative` mode."""

    @property
    def has_lexical_leg(self) -> bool:
        """Whether BM25 is part of the score."""
        return bool(self.lexical_weight or self.evidence)

    @property
    def has_dense_leg(self) -> bool:
        """Whether the question is embedded."""
        return bool(self.evidence.dense if self.evidence else self.dense_weight)
