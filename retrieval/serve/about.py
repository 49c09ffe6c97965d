"""What the page says of each strategy that it offers."""

from collections.abc import Mapping
from types import MappingProxyType

ABOUT: Mapping[str, str] = MappingProxyType(
    {
        "default": "What ships: words, vectors and what a question names, weighed together; the filter is on.",
        "bm25": "The words of the question alone, without a filter.",
        "dense": "The nearest vectors alone, without a filter.",
        "hybrid": "Words and vectors, added with fixed weights, without a filter.",
        "hybrid_graph": "As hybrid, and what is linked with the best hits is raised; without a filter.",
        "prefilter": "The nearest vectors among the rows that may come back: the filter is on from the start.",
        "iterative": "The nearest vectors, filtered and fetched again in rounds until enough rows may come back.",
    }
)
"""A sentence for each of `STRATEGIES`, the one that ships first."""
