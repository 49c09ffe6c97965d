"""The named search strategies. Each is a complete description; a new one is one entry."""

from collections.abc import Mapping
from dataclasses import replace
from types import MappingProxyType

from retrieval.errors import UnknownNameError
from retrieval.strategy import GraphBoost, ModelOrder, Strategy

MARGIN = 6.0
"""Margin of `collapse`: on 4,077 look-ups, each ranked by trees fitted on other books, it removes 1.1 of 2.6 rows of
the right table from the first 15, and 0.15% of the answers."""

_HYBRID = Strategy("hybrid", lexical_weight=0.4, dense_weight=0.6)
"""The weights of the published plan."""
_DEFAULT = Strategy("default", query_must="prefilter", reranks=True, collapse=MARGIN, companions=10, prose_among=5)

_ALL = (
    Strategy("bm25", lexical_weight=1.0),
    Strategy("dense", dense_weight=1.0),
    _HYBRID,
    replace(_HYBRID, name="hybrid_graph", graph=GraphBoost()),
    Strategy("iterative", dense_weight=1.0, query_must="iterative"),
    Strategy("prefilter", dense_weight=1.0, query_must="prefilter"),
    _DEFAULT,
)

_VARIANTS = (
    replace(_DEFAULT, name="default-query_must", query_must="off"),
    replace(_DEFAULT, name="default-collapse", collapse=None),
    replace(_DEFAULT, name="default+chat", order=ModelOrder("chat", "gpt-4o-mini")),
    replace(
        _DEFAULT,
        name="default+cross_encoder",
        order=ModelOrder("cross_encoder", "cross-encoder/ms-marco-MiniLM-L6-v2"),
    ),
)

STRATEGIES: Mapping[str, Strategy] = MappingProxyType({strategy.name: strategy for strategy in _ALL})
"""The strategies that every build with questions scores. bm25, dense: one leg, no filter. hybrid: both legs;
hybrid_graph: and the graph. iterative, prefilter: dense with query_must. default: the default of all commands."""

VARIANTS: Mapping[str, Strategy] = MappingProxyType({strategy.name: strategy for strategy in _VARIANTS})
"""Strategies that can be requested by name, but that no build scores. default-query_must: `default` without query_must.
default-collapse: `default` with every row in its place. default+chat, default+cross_encoder: `default` with its first
hits in the order of a model, which can be replaced by another: `default+chat:MODEL`."""


def scored(strategy: Strategy) -> Strategy:
    """Return the strategy for scoring: if a model orders the hits, its failure is an error instead of another score."""
    return replace(strategy, order=replace(strategy.order, must=True)) if strategy.order else strategy


def strategy(name: str | Strategy) -> Strategy:
    """Return the strategy with a name; a strategy is returned as it is.

    Raises:
        UnknownNameError: there is no such strategy; the message lists those offered to users.
    """
    if isinstance(name, Strategy):
        return name
    known = {**STRATEGIES, **VARIANTS}
    kind, _, model = name.partition(":")
    if model and kind in VARIANTS and (order := VARIANTS[kind].order):
        return replace(VARIANTS[kind], name=name, order=replace(order, model=model))
    if name not in known:
        raise UnknownNameError("strategy", name, STRATEGIES, also=VARIANTS)
    return known[name]
