"""Which strategies a benchmark asks: those of the library, and the reference beside them."""

from collections.abc import Iterable

from evals.benchmarks.fts5 import REFERENCE, why_missing
from retrieval.errors import UnknownNameError
from retrieval.search.strategies import STRATEGIES, VARIANTS, scored, strategy
from retrieval.strategy import Strategy


def contestants(names: Iterable[str]) -> tuple[Strategy, ...]:
    """The strategies of these names; none is all that every build scores, and the reference where it can be asked.

    Raises:
        UnknownNameError: no strategy is called that; lists those that exist.
    """
    chosen = list(dict.fromkeys(names))
    if not chosen:
        return (*STRATEGIES.values(), *([] if why_missing() else [REFERENCE]))
    return tuple(map(_contestant, chosen))


def _contestant(name: str) -> Strategy:
    if name == REFERENCE.name:
        return REFERENCE
    try:
        return scored(strategy(name))
    except UnknownNameError:
        raise UnknownNameError("strategy", name, {**STRATEGIES, **VARIANTS, REFERENCE.name: REFERENCE}) from None
