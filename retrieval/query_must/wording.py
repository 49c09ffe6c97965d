"""What a query_must asks for, said to a person."""

import json
from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Any

from retrieval.query_must.predicate import Condition, Predicate, QueryMust, read_query_must


def in_words(query_must: Predicate | QueryMust) -> str:
    """A sentence; it says what a question must have, not whether one has it. What cannot be read is left out."""
    said = [part for each in read_query_must(query_must).conditions for part in condition_in_words(each)]
    return f"The question must say {'; and '.join(said)}." if said else "Any question may have it."


def condition_in_words(condition: Condition) -> list[str]:
    """What one operator asks of a question, part by part, as it follows `must say`."""
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
