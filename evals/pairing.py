"""Which strategy is another one's counterpart without query_must."""

from collections.abc import Callable, Iterable
from dataclasses import replace

from retrieval.strategy import Strategy

Counterpart = Callable[[Strategy], Strategy | None]
"""The same strategy without query_must; None if it does not filter."""


def without_query_must(strategy: Strategy) -> Strategy | None:
    """The strategy with its filter off, named `<name>-query_must`; None if it is off already."""
    if strategy.query_must == "off":
        return None
    return replace(strategy, name=f"{strategy.name}-query_must", query_must="off")


def counterpart_among(strategies: Iterable[Strategy]) -> Counterpart:
    """Like `without_query_must`, but a named strategy that searches alike is taken: `dense` for `prefilter`."""
    known = {_nameless(each): each for each in strategies if each.query_must == "off"}

    def counterpart(strategy: Strategy) -> Strategy | None:
        bare = without_query_must(strategy)
        return None if bare is None else known.get(_nameless(bare), bare)

    return counterpart


def _nameless(strategy: Strategy) -> Strategy:
    # rounds of filtering say nothing about a search without a filter
    return replace(strategy, name="", max_iterations=0)
