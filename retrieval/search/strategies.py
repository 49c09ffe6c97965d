"""The named ways of searching. Each says completely how; a new one is one entry."""

from collections.abc import Mapping
from dataclasses import replace
from types import MappingProxyType

from retrieval.errors import UnknownNameError
from retrieval.search.evidence.weights import WEIGHTS
from retrieval.strategy import GraphBoost, ModelOrder, Routing, Strategy

_PLAN = GraphBoost(
    ("contains", "next", "describes", "has_trait"), seeds=3, depth=2, candidates=50, decay=0.4, boost=0.05
)
"""The published plan's own edges and numbers; a change of the defaults must not reach them."""
_HYBRID = Strategy("hybrid", lexical_weight=0.4, dense_weight=0.6)
"""The published plan's weights; the strategies that differ from it in one thing are made from it."""
_DEFAULT = Strategy("default", query_must="prefilter", evidence=WEIGHTS, second_look=True, companions=5)
_RAISE = 0.1
"""Boost among evidence: 0.2 and 0.4, the published boost's share of the best score, did worse on every open set."""
_NAMELESS = dict.fromkeys(("name", "heading", "quote", "figure", "number", "axis", "sibling"), 0.0)

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
    Strategy("iterative_noisy", dense_weight=1.0, query_must="iterative", noisy_weight=0.8),
    Strategy("rrf", lexical_weight=0.5, dense_weight=0.5, fusion="reciprocal_rank"),
    replace(_HYBRID, name="hybrid_tmm", fusion="theoretical"),
    replace(_HYBRID, name="seed", graph=_PLAN),
    replace(_DEFAULT, name="default-query_must", query_must="off"),
    replace(_DEFAULT, name="default-second_look", second_look=False),
    replace(_DEFAULT, name="default-companions", companions=0),
    replace(_DEFAULT, name="default-names", evidence=replace(WEIGHTS, **_NAMELESS), second_look=False),
    replace(_DEFAULT, name="default+graph", graph=GraphBoost(boost=_RAISE)),
    replace(_DEFAULT, name="default+graph_first", graph_first=True),
    replace(_DEFAULT, name="default+routing", routing=Routing(8, unrouted_when_weak=True)),
    *(replace(_DEFAULT, name=f"default+routing{count}", routing=Routing(count)) for count in (3, 8, 12)),
    replace(_DEFAULT, name="default+chat", order=ModelOrder("chat", "gpt-4o-mini")),
    replace(
        _DEFAULT,
        name="default+cross_encoder",
        order=ModelOrder("cross_encoder", "cross-encoder/ms-marco-MiniLM-L6-v2"),
    ),
)

STRATEGIES: Mapping[str, Strategy] = MappingProxyType({strategy.name: strategy for strategy in _ALL})
"""Those that every build with questions scores. bm25, dense: one leg, no filter. hybrid: both; hybrid_graph: and the
graph. iterative, prefilter: dense with query_must. default: what ships."""

VARIANTS: Mapping[str, Strategy] = MappingProxyType({strategy.name: strategy for strategy in _VARIANTS})
"""Those that can be asked for by name and that no build scores; `docs/results/search.md` measures all but
iterative_noisy and the two that ask a model, `docs/results/results_query_must.md` iterative_noisy.
iterative_noisy: near-twins are put back, as the published plan wished. rrf, hybrid_tmm: other ways to fuse the legs of
hybrid. seed: the published plan's defaults. default-query_must: what ships without query_must; default-companions: all
places by score; default-second_look: by the sum of the evidence alone; default-names: and without what the question
calls a chunk. default+...: what ships and one thing more; `routing` searches everything where its chapters are weak,
`routing3` never does. default+chat, default+cross_encoder: what ships, its first hits in the order of a model, which
another can be named for: `default+chat:MODEL`."""


def scored(strategy: Strategy) -> Strategy:
    """The same for scores: where a model is to have the last word, its silence is an error and not another score."""
    return replace(strategy, order=replace(strategy.order, must=True)) if strategy.order else strategy


def strategy(name: str) -> Strategy:
    """The strategy of that name.

    Raises:
        UnknownNameError: no such strategy; lists those that users are offered.
    """
    known = {**STRATEGIES, **VARIANTS}
    kind, _, model = name.partition(":")
    if model and kind in VARIANTS and (order := VARIANTS[kind].order):
        return replace(VARIANTS[kind], name=name, order=replace(order, model=model))
    if name not in known:
        raise UnknownNameError("strategy", name, STRATEGIES, also=VARIANTS)
    return known[name]
