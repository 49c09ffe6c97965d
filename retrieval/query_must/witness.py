"""The shortest question that a predicate admits: what the lint asks with."""

from math import isfinite

from retrieval.query_must.canonical import canonical
from retrieval.query_must.conditions import Atom, Range
from retrieval.query_must.predicate import QueryMust
from retrieval.query_must.vocabulary import Vocabulary

_APART = " ! "
"""Nothing binds across it and no list goes on over it."""


def minimal_questions(predicate: QueryMust, vocabulary: Vocabulary) -> tuple[str, ...] | None:
    """Return questions that say one atom of each group and nothing else, the lower and the upper end of each range.

    Empty if no question can satisfy the predicate; None if an operator cannot be compiled, so that nothing is known.
    """
    lower: list[str] = []
    upper: list[str] = []
    for condition in predicate.conditions:
        groups = condition.groups(vocabulary)
        if groups is None:
            return None
        for group in groups:
            atom = next((atom for atom in group.atoms if _can_hold(atom, vocabulary)), None)
            if atom is None:
                return ()
            lower.append(_spell(atom))
            upper.append(_spell(atom, upper=True))
    questions = dict.fromkeys((_APART.join(lower), _APART.join(upper)))
    return tuple(question for question in questions if predicate.holds(canonical(question, vocabulary)))


def _can_hold(atom: Atom, vocabulary: Vocabulary) -> bool:
    return atom.holds(canonical(_spell(atom), vocabulary))


def _spell(atom: Atom, *, upper: bool = False) -> str:
    if not isinstance(atom, Range):
        return atom.text
    ends = [end for end in (atom.low, atom.high) if isfinite(end)] or [0.0]
    number = max(ends) if upper else min(ends)
    figure = f"{number:.0f}" if number.is_integer() else f"{number!r}"
    return figure if atom.labels is None else f"{atom.labels[0]} {figure}"
