"""The shortest question that a predicate admits: what the lint asks with."""

from collections.abc import Iterator, Sequence
from decimal import Decimal
from math import isfinite

from retrieval.query_must.canonical.canonical import canonical, canonical_term
from retrieval.query_must.conditions import Atom, Group, Range, Term
from retrieval.query_must.predicate import QueryMust
from retrieval.query_must.vocabulary.vocabulary import Vocabulary

_APART = " ! "
"""Nothing binds across it and no list goes on over it."""


def minimal_questions(predicate: QueryMust, vocabulary: Vocabulary) -> tuple[str, ...] | None:
    """Return questions that say one atom of each group and nothing else, the lower and the upper end of each range.

    Empty if no question can satisfy the predicate; None if an operator cannot be compiled, so that nothing is known.
    """
    lower: list[str] = []
    upper: list[str] = []
    for condition in predicate.conditions:
        if not condition.operator.asks_more:
            continue
        groups = condition.groups(vocabulary)
        if groups is None:
            return None
        for group in groups:
            said = next(filter(None, (_say(atom, group, vocabulary) for atom in group.atoms)), None)
            if said is None:
                return ()
            lower.append(said[0])
            upper.append(said[1])
    questions = dict.fromkeys((_APART.join(lower), _APART.join(upper)))
    return tuple(question for question in questions if predicate.holds(canonical(question, vocabulary)))


def _say(atom: Atom, group: Group, vocabulary: Vocabulary) -> tuple[str, str] | None:
    """Return two texts that say an atom, for a range its ends; None if none was found that does."""
    if isinstance(atom, Range):
        return next((ends for ends in _ends(atom) if atom.holds(canonical(ends[0], vocabulary))), None)
    written = list(_written(group))
    # What is written comes first: canonical text, read once more, may say something else (`b12 level`, `b 12 level`).
    same = [text for text in written if canonical_term(text, vocabulary) == atom.text]
    said = _least(atom, [*same, atom.text], vocabulary) or _least(atom, written, vocabulary)
    return (said, said) if said else None


def _least(atom: Term, texts: Sequence[str], vocabulary: Vocabulary) -> str:
    """Return the text that says an atom and least beside it: `AC-2` is two numbers in a question, `ac -2` is one."""
    sizes: dict[str, int] = {}
    for text in texts:
        asked = canonical(text, vocabulary)
        if asked.text == f" {atom.text} ":
            return text
        if atom.holds(asked):
            sizes[text] = len(asked.tokens)
    return min(sizes, key=lambda text: sizes[text], default="")


def _written(group: Group) -> Iterator[str]:
    values = group.written if isinstance(group.written, list | tuple) else [group.written]
    yield from (str(value) for value in values if isinstance(value, str | int | float))


def _ends(span: Range) -> Iterator[tuple[str, str]]:
    """Yield the lower and the upper end, beside each label in turn."""
    ends = [end for end in (span.low, span.high) if isfinite(end)] or [0.0]
    # Not repr: canonical text knows no exponents.
    low, high = (f"{Decimal(repr(end)):f}".removesuffix(".0") for end in (min(ends), max(ends)))
    for label in ("",) if span.labels is None else span.labels:
        yield f"{label} {low}".strip(), f"{label} {high}".strip()
