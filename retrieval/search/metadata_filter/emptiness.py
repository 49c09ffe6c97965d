"""Why a filter leaves nothing: which value no chunk has, and which values there are."""

from collections.abc import Iterator
from difflib import get_close_matches

from retrieval.index.snapshot.metadata_index import Column, MetadataIndex
from retrieval.search.metadata_filter.filter import And, Contains, Eq, Filter, In, Ne, Not, Or

LISTED = 12
"""Values that are named at most."""


def why_empty(wanted: Filter, index: MetadataIndex) -> str | None:
    """One sentence; None where the filter leaves chunks.

    Raises:
        UnknownNameError: the filter names a key that no chunk has.
    """
    left = int(wanted.mask(index).sum())
    if left:
        return None
    strange = [said for each in _demands(wanted) for said in _unknown(each, index)]
    return "; ".join(strange) or "the filters leave no chunk: each is met by some, all together by none"


def strange_values(wanted: Filter, index: MetadataIndex) -> str | None:
    """One sentence about values that the filter names and no chunk has, be it empty or not; None without such."""
    said = []
    for key, value, filters in _named(wanted):
        if not filters.mask(index).any():
            said.append(f"no chunk has {key}={value}; {key} is one of: {_listed(index.columns[key], [value])}")
    return "; ".join(dict.fromkeys(said)) or None


def _named(wanted: Filter) -> Iterator[tuple[str, str, Filter]]:
    """(key, value, the filter for that value alone) of every value that is asked for or refused."""
    if isinstance(wanted, And | Or):
        for each in wanted.filters:
            yield from _named(each)
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
    """The filters that must all hold."""
    if isinstance(wanted, And):
        for each in wanted.filters:
            yield from _demands(each)
    else:
        yield wanted


def _unknown(demand: Filter, index: MetadataIndex) -> Iterator[str]:
    values = list(_values(demand))
    keys = {key for key, _ in values}
    if len(keys) != 1 or demand.mask(index).any():
        return
    (key,) = keys
    asked = list(dict.fromkeys(value for _, value in values))
    known = _listed(index.columns[key], asked)
    yield f"no chunk has {key}={'|'.join(asked)}; {key} is one of: {known}"


def _values(demand: Filter) -> Iterator[tuple[str, str]]:
    """(key, value as text) of filters that ask for a value and nothing else."""
    if isinstance(demand, Contains | Eq):
        yield demand.key, str(demand.value)
    elif isinstance(demand, In):
        yield from ((demand.key, str(value)) for value in demand.values)
    elif isinstance(demand, Or):
        for each in demand.filters:
            yield from _values(each)


def _listed(column: Column, asked: list[str]) -> str:
    """The values, nearest first; of many only the nearest, and how many more there are."""
    known = [str(value) for value in (*column.texts, *column.numbers, *column.flags)]
    near = [match for value in asked for match in get_close_matches(value, known, n=LISTED, cutoff=0.4)]
    ordered = list(dict.fromkeys([*near, *known]))
    more = f", and {len(ordered) - LISTED} more" if len(ordered) > LISTED else ""
    return ", ".join(ordered[:LISTED]) + more
