"""Metadata filters: records, their text form, their mask, and why a filter leaves nothing.

::

    Retriever.open(home).retrieve(question, where=And((Eq("book", "rules"), Not(Contains("tags", "optional")))))

Strings compare with strings, numbers with numbers, and booleans with booleans; other types never match. A chunk without
the key fails every comparison except `Ne`. Only `Contains` finds members of lists.
"""

import json
import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from functools import reduce
from typing import ClassVar

import numpy as np

from retrieval.errors import InvalidQueryError
from retrieval.index.snapshot.metadata_index import Comparison, Mask, MetadataColumn, MetadataIndex, Scalar


class Filter(ABC):
    """Selects the chunks that a caller wants returned."""

    __slots__ = ()

    @abstractmethod
    def mask(self, index: MetadataIndex) -> Mask:
        """Return (n,) True for chunks that pass.

        Raises:
            UnknownNameError: the filter names a key that no chunk has.
        """


@dataclass(frozen=True, slots=True)
class Condition(Filter, ABC):
    """Compares the value of a key, as the name of the subclass states."""

    key: str
    value: Scalar
    _comparison: ClassVar[Comparison] = "eq"

    def mask(self, index: MetadataIndex) -> Mask:
        """See Filter."""
        return index.mask(self.key, self._comparison, self.value)


class Eq(Condition):
    """The key's value equals this value."""

    __slots__ = ()


class Ne(Condition):
    """The key's value differs from this value, or the key is missing."""

    __slots__ = ()

    def mask(self, index: MetadataIndex) -> Mask:
        """See Filter."""
        return ~index.mask(self.key, "eq", self.value)


class Gt(Condition):
    """The key's value is greater."""

    __slots__ = ()
    _comparison = "gt"


class Gte(Condition):
    """The key's value is greater or equal."""

    __slots__ = ()
    _comparison = "gte"


class Lt(Condition):
    """The key's value is less."""

    __slots__ = ()
    _comparison = "lt"


class Lte(Condition):
    """The key's value is less or equal."""

    __slots__ = ()
    _comparison = "lte"


class Contains(Condition):
    """The key's list contains this value; a single value counts as a list of one."""

    __slots__ = ()

    def mask(self, index: MetadataIndex) -> Mask:
        """See Filter."""
        return index.mask(self.key, "eq", self.value, members=True)


@dataclass(frozen=True, slots=True)
class In(Filter):
    """The key's value is one of these; if there are none, nothing passes."""

    key: str
    values: tuple[Scalar, ...]

    def mask(self, index: MetadataIndex) -> Mask:
        """See Filter."""
        return Or(tuple(Eq(self.key, value) for value in self.values)).mask(index)


@dataclass(frozen=True, slots=True)
class And(Filter):
    """All of these hold; if there are none, everything passes."""

    filters: tuple[Filter, ...]

    def mask(self, index: MetadataIndex) -> Mask:
        """See Filter."""
        masks = (inner.mask(index) for inner in self.filters)
        return reduce(np.logical_and, masks, np.ones(index.n_chunks, dtype=np.bool_))


@dataclass(frozen=True, slots=True)
class Or(Filter):
    """At least one of these holds; if there are none, nothing passes."""

    filters: tuple[Filter, ...]

    def mask(self, index: MetadataIndex) -> Mask:
        """See Filter."""
        masks = (inner.mask(index) for inner in self.filters)
        return reduce(np.logical_or, masks, np.zeros(index.n_chunks, dtype=np.bool_))


@dataclass(frozen=True, slots=True)
class Not(Filter):
    """The filter does not hold."""

    filter: Filter

    def mask(self, index: MetadataIndex) -> Mask:
        """See Filter."""
        return ~self.filter.mask(index)


LISTED = 12
"""The most values that a message lists."""


def why_empty(wanted: Filter | None, index: MetadataIndex) -> str | None:
    """Return one sentence that explains why a filter leaves no chunk; None if it leaves some, or if there is none.

    Raises:
        UnknownNameError: the filter names a key that no chunk has.
    """
    if wanted is None or wanted.mask(index).any():
        return None
    demands = list(_demands(wanted))
    strange = [sentence for demand in demands for sentence in _unknown(demand, index)]
    alone = "the filter leaves no chunk"
    several = "the filters leave no chunk: some chunks meet each of them, but none meets all"
    return "; ".join(strange) or (several if len(demands) > 1 else alone)


def strange_values(wanted: Filter, index: MetadataIndex) -> str | None:
    """Return one sentence about values in the filter that no chunk has, even if the filter leaves chunks; None if there
    are none."""
    sentences = []
    for key, value, filters in _named(wanted):
        if not filters.mask(index).any():
            sentences.append(f"no chunk has {key}={value}; {key} is one of: {_listed(index.columns[key], [value])}")
    return "; ".join(dict.fromkeys(sentences)) or None


def _named(wanted: Filter) -> Iterator[tuple[str, str, Filter]]:
    """Yield (key, value, the filter for that value alone) for every value that is required or excluded."""
    if isinstance(wanted, And | Or):
        for inner in wanted.filters:
            yield from _named(inner)
    elif isinstance(wanted, Not):
        yield from _named(wanted.filter)
    elif isinstance(wanted, In):
        for value in wanted.values:
            yield wanted.key, str(value), Eq(wanted.key, value)
    elif isinstance(wanted, Contains | Eq):
        yield wanted.key, str(wanted.value), wanted
    elif isinstance(wanted, Ne):
        yield wanted.key, str(wanted.value), Eq(wanted.key, wanted.value)


def _demands(wanted: Filter) -> Iterator[Filter]:
    """Yield the filters that must all hold."""
    if isinstance(wanted, And):
        for inner in wanted.filters:
            yield from _demands(inner)
    else:
        yield wanted


def _unknown(demand: Filter, index: MetadataIndex) -> Iterator[str]:
    values = list(_values(demand))
    keys = {key for key, _ in values}
    if len(keys) != 1 or demand.mask(index).any():
        return
    (key,) = keys
    wanted = list(dict.fromkeys(value for _, value in values))
    known = _listed(index.columns[key], wanted)
    yield f"no chunk has {key}={'|'.join(wanted)}; {key} is one of: {known}"


def _values(demand: Filter) -> Iterator[tuple[str, str]]:
    """Yield (key, value as text) of filters that only require a value."""
    if isinstance(demand, Contains | Eq):
        yield demand.key, str(demand.value)
    elif isinstance(demand, In):
        yield from ((demand.key, str(value)) for value in demand.values)
    elif isinstance(demand, Or):
        for inner in demand.filters:
            yield from _values(inner)


def _listed(column: MetadataColumn, values: list[str]) -> str:
    """Return the values, nearest first; if there are many, only the nearest and the number of the rest."""
    known = [str(value) for value in (*column.texts, *column.numbers, *column.flags)]
    near = [close for value in values for close in get_close_matches(value, known, n=LISTED, cutoff=0.4)]
    ordered = list(dict.fromkeys([*near, *known]))
    more = f", and {len(ordered) - LISTED} more" if len(ordered) > LISTED else ""
    return ", ".join(ordered[:LISTED]) + more


_COMPARISON = re.compile(r"\s*(?P<key>[^=!<>]+?)\s*(?P<sign>!=|>=|<=|=|>|<)\s*(?P<value>.*?)\s*", re.DOTALL)
_ORDERED: Mapping[str, Callable[[str, Scalar], Filter]] = {">": Gt, ">=": Gte, "<": Lt, "<=": Lte}


def read_filter(*texts: str) -> Filter:
    """Return a filter that requires all of these comparisons.

    `=` also finds members of a list, `|` separates alternative values, and `!=` is the opposite of `=`. A value that
    can be read as a number or as true or false matches as that and as a string; in double quotes it matches only as a
    string.

    Raises:
        InvalidQueryError: a text is not a comparison.
    """
    return And(tuple(_read(text) for text in texts))


def filter_of(texts: Sequence[str] | None) -> Filter | None:
    """Return the filter of a caller's comparisons; None if there are none. Raises the errors of `read_filter`."""
    return read_filter(*texts) if texts else None


def _read(text: str) -> Filter:
    match = _COMPARISON.fullmatch(text)
    if match is None or not any(part.strip() for part in _parts(match["value"])):
        raise InvalidQueryError(f"{text!r} is not a filter; write KEY=VALUE, or one of != > >= < <= between them")
    key, sign, value = match["key"], match["sign"], match["value"]
    if sign in _ORDERED:
        return Or(tuple(_ORDERED[sign](key, reading) for reading in _readings(value)))
    same = Or(tuple(Contains(key, reading) for part in _parts(value) for reading in _readings(part.strip())))
    return same if sign == "=" else Not(same)


def _parts(value: str) -> list[str]:
    """Return the values between the bars; a bar within double quotes is part of its value."""
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
