"""The named ways of searching. Each says completely how; a new one is one entry."""

from collections.abc import Mapping
from types import MappingProxyType

from retrieval.errors import UnknownNameError
from retrieval.search.weights import WEIGHTS
from retrieval.strategy import Strategy

_ALL = (
    Strategy("bm25", lexical_weight=1.0),
    Strategy("dense", dense_weight=1.0),
    Strategy("hybrid", lexical_weight=0.4, dense_weight=0.6),
    Strategy("iterative", dense_weight=1.0, query_must="iterative"),
    Strategy("prefilter", dense_weight=1.0, query_must="prefilter"),
    Strategy("default", query_must="prefilter", evidence=WEIGHTS),
)

STRATEGIES: Mapping[str, Strategy] = MappingProxyType({strategy.name: strategy for strategy in _ALL})
"""bm25, dense: one leg, no filter. hybrid: both. iterative, prefilter: dense with query_must. default: what ships."""


def strategy(name: str) -> Strategy:
    """The strategy of that name.

    Raises:
        UnknownNameError: no such strategy; lists those that exist.
    """
    if name not in STRATEGIES:
        raise UnknownNameError("strategy", name, STRATEGIES)
    return STRATEGIES[name]
