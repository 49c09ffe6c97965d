"""Which strategies a benchmark asks: those of the library, and the reference beside them."""

from collections.abc import Iterable

from evals.benchmarks.fts5 import REFERENCE, why_missing
from retrieval.errors import UnknownNameError
from retrieval.search.strategies import STRATEGIES, VARIANTS
from retrieval.strategy import Strategy


def contestants(names: Iterable[str]) -> tuple[Strategy, ...]:
    """The strategies of these names; none is all that every build scores, and the reference where it can be asked.

    Raises:
        UnknownNameError: no strategy is called that; lists those that exist.
    """
    known = {**STRATEGIES, **VARIANTS, REFERENCE.name: REFERENCE}
    for name in (chosen := list(dict.fromkeys(names))):
        if name not in known:
            raise UnknownNameError("strategy", name, known)
    if not chosen:
        return (*STRATEGIES.values(), *([] if why_missing() else [REFERENCE]))
    return tuple(known[name] for name in chosen)
