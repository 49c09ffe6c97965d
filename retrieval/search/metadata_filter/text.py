"""A metadata filter as a person types it: `book=rules`, `level>=3`, `tags!=optional`, `kind=row|record`."""

import json
import re
from collections.abc import Callable, Mapping

from retrieval.errors import InvalidQueryError
from retrieval.index.snapshot.metadata_index import Scalar
from retrieval.search.metadata_filter.filter import And, Contains, Filter, Gt, Gte, Lt, Lte, Not, Or

_COMPARISON = re.compile(r"\s*(?P<key>[^=!<>]+?)\s*(?P<sign>!=|>=|<=|=|>|<)\s*(?P<value>.*?)\s*", re.DOTALL)
_ORDERED: Mapping[str, Callable[[str, Scalar], Filter]] = {">": Gt, ">=": Gte, "<": Lt, "<=": Lte}


def read_filter(*texts: str) -> Filter:
    """All of these hold together.

    `=` also finds what is in a list, `|` separates values of which one is enough, and `!=` is the contrary of
    `=`. A value that reads as a number or as true or false is looked for as that and as a text; in double quotes it is
    a text only.

    Raises:
        InvalidQueryError: a text is not a comparison.
    """
    return And(tuple(_read(text) for text in texts))


def _read(text: str) -> Filter:
    match = _COMPARISON.fullmatch(text)
    if match is None or not match["value"]:
        raise InvalidQueryError(f"{text!r} is not a filter; write KEY=VALUE, or one of != > >= < <= between them")
    key, sign, value = match["key"], match["sign"], match["value"]
    if sign in _ORDERED:
        return Or(tuple(_ORDERED[sign](key, reading) for reading in _readings(value)))
    same = Or(tuple(Contains(key, reading) for part in _parts(value) for reading in _readings(part.strip())))
    return same if sign == "=" else Not(same)


def _parts(value: str) -> list[str]:
    """What is between the bars; a bar within double quotes is part of its text."""
    return re.findall(r'(?:"(?:[^"\\]|\\.)*"|[^|])+', value)


def _no_number(name: str) -> None:
    raise ValueError(name)


def _readings(value: str) -> tuple[Scalar, ...]:
    try:
        read = json.loads(value, parse_constant=_no_number)
    except (ValueError, RecursionError):
        return (value,)
    if isinstance(read, str):
        return (read,)
    return (read, value) if isinstance(read, (bool, int, float)) else (value,)
