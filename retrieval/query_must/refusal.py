"""Explains in one sentence why a predicate excludes a chunk.

`predicate.explain` does the same for programs: it returns the operator and the group that failed, as written in the
predicate.
"""

import json
import re
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from types import MappingProxyType
from typing import Any

from retrieval.language.canonical import Canonical, as_point, canonical_term
from retrieval.language.vocabulary import Vocabulary
from retrieval.query_must.operators import NO_RIVAL, Group, Range, Term
from retrieval.query_must.predicate import Condition, Predicate, QueryMust, read_query_must
from retrieval.query_must.siblings import ANOTHER_ROW
from retrieval.types import Chunk


def in_words(query_must: Predicate | QueryMust) -> str:
    """Return a sentence that states what a question must contain, not whether one does. Unreadable parts are left
    out."""
    parts = [part for condition in read_query_must(query_must).conditions for part in condition_in_words(condition)]
    return f"The question must say {'; and '.join(parts)}." if parts else "Any question can return it."


def condition_in_words(condition: Condition) -> list[str]:
    """Return the requirements of one operator, part by part, as they follow `must say`."""
    name, value = condition.operator.name, condition.value
    known = _WORDS.get(name)
    return known(value) if known else [f"what {name} asks for: {json.dumps(value, ensure_ascii=False, default=str)}"]


def _one_of(groups: Sequence[Sequence[Any]]) -> list[str]:
    return [_any_of(group) for group in groups if group]


def _any_of(terms: Sequence[Any]) -> str:
    quoted = [f'"{term}"' for term in terms]
    return quoted[0] if len(quoted) == 1 else f"one of {', '.join(quoted)}"


def _all_of(terms: Sequence[Any]) -> list[str]:
    return [f'"{term}"' for term in terms]


def _in_range(value: Mapping[str, Any]) -> list[str]:
    least, most = value.get("min"), value.get("max")
    if least is not None and most is not None:
        bounds = f"from {least} to {most}"
    else:
        bounds = f"of at least {least}" if most is None else f"of at most {most}"
    labels = value.get("of")
    return [f"a number {bounds}" + (f" for {_any_of(labels)}" if labels else "")]


_WORDS: Mapping[str, Callable[[Any], list[str]]] = MappingProxyType(
    {
        "contain_one_of": _one_of,
        "contain_all_of": _all_of,
        "contain": lambda term: _all_of([term]),
        "contain_range": _in_range,
        "contain_across": lambda lists: [
            f"{_any_of(lists[0])} and {_any_of(lists[1])} on two sides, where it sets two things against each other"
        ],
        "contain_no_rival": lambda _: ["nothing that names another row of its table and not this one"],
    }
)


_MOST = 3
"""The most terms of a group that are listed."""
_SHORTEST = 3
"""The fewest letters of a term that is meaningful by itself; the `id` of `Table I.D.` is not."""
_AROUND = 3
"""Words before and after a number in which its label is sought."""
_QUOTED = re.compile(r"'([^']+)'")
_EDGES = ".,;:?!()[]\"'"


def refusal(text: str, question: Canonical, query_must: Predicate, chunk: Chunk | None = None) -> str:
    """Return a sentence that states what the chunk is about, and what the question names instead. Empty if nothing
    excludes it.

    Args:
        text: the question as it was asked; its own words are used where they can be.
        question: its canonical form, which the predicate is evaluated on.
        query_must: the predicate of the chunk.
        chunk: the chunk with the predicate; None: only the predicate is known.
    """
    failed = next(
        (condition for condition in read_query_must(query_must).conditions if not condition.holds(question)), None
    )
    if failed is None:
        return ""
    this = "This passage" if chunk is not None and chunk.kind == "prose" else "This row"
    called = (chunk.called or chunk.row_key) if chunk is not None else None
    if failed.operator.name == NO_RIVAL:
        reason = failed.reason(question)
        return f"{this} is about {_place(reason, called, chunk)}; {_named(reason, text, question.vocabulary)}."
    if failed.operator.name == "contain_across":
        sides = " against ".join(_listed(_quoted(side), "or") for side in failed.value)
        return f"{this} is for questions that set {sides}; yours has both on one side."
    group = failed.failed(question)
    instead = _instead(text, question, group) if group is not None else ""
    if group is None or any(isinstance(atom, Range) for atom in group.atoms):
        phrase = "; and ".join(condition_in_words(failed))
        return f"{this} is for questions that say {phrase}; yours {f'names {instead}' if instead else 'does not'}."
    if called and _is_about(called, group, question.vocabulary):
        return f"{this} is about {called}; your question {f'names {instead}' if instead else 'does not name it'}."
    terms = _terms(group)
    return f"{this} is for questions that name {_listed(terms, 'or')}; yours {_none_of(terms, instead)}."


def _place(reason: str, called: str | None, chunk: Chunk | None) -> str:
    """Return the name of a row: its own beside its siblings; its title, with that of its table, beside a row of another
    table."""
    if called and reason.endswith(ANOTHER_ROW):
        return called
    return chunk.title if chunk is not None else "something else"


def _named(reason: str, text: str, vocabulary: Vocabulary) -> str:
    """Return what the question names instead, in its own words if they can be found."""

    def in_own_words(match: re.Match[str]) -> str:
        point = as_point(match[1], vocabulary)
        return f'"{as_said(text, *point, vocabulary) if point else match[1]}"'

    return f"your {_QUOTED.sub(in_own_words, reason.removeprefix('the '))}"


def _is_about(called: str, group: Group, vocabulary: Vocabulary) -> bool:
    """Whether a group requires the row's own name, not only that of its table."""
    name = f" {canonical_term(called, vocabulary)} "
    terms = [atom.text for atom in group.atoms if isinstance(atom, Term)]
    if any(f" {term} " in name for term in terms):
        return True
    # `Intelligence/Wisdom 26+` is required as `int 26`, `int 27` and so on.
    has_figure = any(map(str.isdigit, called))
    return has_figure and any(as_point(term, vocabulary) is not None for term in terms)


def _instead(text: str, question: Canonical, group: Group) -> str:
    """Return what the question contains in place of what the group requires: `AC 6`, `level 2 or more`; else
    nothing."""
    terms: dict[str, None] = {}
    for label in _labels(group, question.vocabulary):
        for span in (interval for interval in question.intervals if interval.label == label):
            terms[_interval(label, span.low, span.high)] = None
        if not terms:
            values = question.bound.get(label, ())
            terms.update((f'"{as_said(text, label, value, question.vocabulary)}"', None) for value in values)
    return _listed(list(terms), "and")


def _labels(group: Group, vocabulary: Vocabulary) -> Sequence[str]:
    labels: dict[str, None] = {}
    for atom in group.atoms:
        if isinstance(atom, Range):
            labels.update(dict.fromkeys(atom.labels or ()))
        elif point := as_point(atom.text, vocabulary):
            labels[point[0]] = None
    return list(labels)


def _interval(label: str, low: float, high: float) -> str:
    if low == float("-inf"):
        return f"{label} {high:g} or less"
    return f"{label} {low:g} or more" if high == float("inf") else f"{label} {low:g} to {high:g}"


@lru_cache(maxsize=256)
def as_said(text: str, label: str, value: float, vocabulary: Vocabulary) -> str:
    """Return a label with its number in the words of the question: `7th level`; `level 7` if its words cannot be
    found."""
    wanted = f"{label} {value:g}"
    words = text.split()
    figure = re.compile(rf"(?<!\d){abs(value):g}(?!\d)")
    around = range(max(len(words), 1))
    for size in range(1, _AROUND + 2):
        for position in (number for number in around if figure.search(words[number] if words else "")):
            for start in range(max(position - size + 1, 0), position + 1):
                window = " ".join(words[start : start + size]).strip(_EDGES)
                if canonical_term(window, vocabulary) == wanted:
                    return window
    return wanted


def _terms(group: Group) -> list[str]:
    """Return the meaningful terms of a group, as written in the predicate."""
    return _quoted(group.written if isinstance(group.written, list | tuple) else [group.written])


def _quoted(written: Sequence[object]) -> list[str]:
    terms = [f'"{term}"' if isinstance(term, str) else json.dumps(term, default=str) for term in written]
    telling = [term for term in terms if len(term) >= _SHORTEST + 2 or any(map(str.isdigit, term))]
    return (telling or terms)[:_MOST]


def _listed(words: Sequence[str], joint: str) -> str:
    return f" {joint} ".join([part for part in (", ".join(words[:-1]), *words[-1:]) if part])


def _none_of(terms: Sequence[str], instead: str) -> str:
    if instead:
        return f"names {instead}"
    return {1: "does not", 2: "names neither"}.get(len(terms), "names none of them")
