"""Filter records as Chroma's `where`, for collections that somebody else filled.

Chroma orders numbers and no texts, has no negation of a whole filter, refuses `$and` and `$or` of fewer than two, and
an empty `$in` (1.5.9). So comparisons of texts, and negated comparisons, become lists of the values that are there, and
negations are moved inwards. What lacks a field passes only negations, as in our own index.
"""

from collections.abc import Callable, Mapping, Sequence
from operator import ge, gt, le, lt
from typing import Any

from retrieval.errors import FilterTranslationError, InvalidFilterError
from retrieval.index.snapshot.metadata_index import Scalar
from retrieval.search.metadata_filter.filter import (
    And,
    Condition,
    Contains,
    Eq,
    Filter,
    Gt,
    Gte,
    In,
    Lt,
    Lte,
    Ne,
    Not,
    Or,
)
from retrieval.understand.catalog.fields import CatalogField

Where = Mapping[str, Any]

_COMPARE: Mapping[type[Filter], Callable[[Any, Any], bool]] = {Gt: gt, Gte: ge, Lt: lt, Lte: le}
_NUMBERS = frozenset({int, float})
_NATIVE: Mapping[type[Filter], str] = {Gt: "$gt", Gte: "$gte", Lt: "$lt", Lte: "$lte"}


def chroma_where(wanted: Filter, fields: Mapping[str, CatalogField]) -> Where | None:
    """The same filter for Chroma; None where everything passes.

    Args:
        wanted: the filter.
        fields: of the collection, by name.

    Raises:
        InvalidFilterError: the filter names a field that the collection does not have.
        FilterTranslationError: Chroma cannot say that nothing passes, because the collection has no field.
    """
    found = _where(wanted, fields, negated=False)
    if found is True:
        return None
    return _nothing(fields) if found is False else found


def _where(wanted: Filter, fields: Mapping[str, CatalogField], *, negated: bool) -> Where | bool:
    if isinstance(wanted, Not):
        return _where(wanted.filter, fields, negated=not negated)
    if isinstance(wanted, And | Or):
        parts = [_where(each, fields, negated=negated) for each in wanted.filters]
        return _joined(parts, all_of=isinstance(wanted, And) != negated)
    if isinstance(wanted, Ne):
        return _where(Eq(wanted.key, wanted.value), fields, negated=not negated)
    if isinstance(wanted, Contains) and _field(wanted.key, fields).listed:
        return {wanted.key: {"$not_contains" if negated else "$contains": wanted.value}}
    if isinstance(wanted, Condition | In):
        return _compared(wanted, _field(wanted.key, fields), negated=negated)
    raise FilterTranslationError(f"{wanted!r} has no form in Chroma; use the records of metadata_filter")


def _compared(wanted: Condition | In, field: CatalogField, *, negated: bool) -> Where | bool:
    """A comparison with a single value as Chroma's own, or as the list of the values that pass it."""
    native = _NATIVE.get(type(wanted))
    # Chroma cuts off what is behind the point before it compares a whole number with another.
    if (
        native
        and not negated
        and isinstance(wanted, Condition)
        and {type(wanted.value)} == set(map(type, field.counts)) <= _NUMBERS
    ):
        return {wanted.key: {native: wanted.value}}
    values: list[Scalar] = [] if field.listed else [value for value in field.counts if _passes(wanted, value)]
    if not values:
        return negated
    return {wanted.key: {"$nin" if negated else "$in": values}}


def _passes(wanted: Condition | In, value: Scalar) -> bool:
    if isinstance(wanted, In):
        return any(_passes(Eq(wanted.key, each), value) for each in wanted.values)
    compare = _COMPARE.get(type(wanted), _same)
    alike = isinstance(value, str) == isinstance(wanted.value, str)
    return alike and isinstance(value, bool) == isinstance(wanted.value, bool) and compare(value, wanted.value)


def _same(one: object, other: object) -> bool:
    return one == other


def _joined(parts: Sequence[Where | bool], *, all_of: bool) -> Where | bool:
    """`$and` or `$or` of what is left when all that is always so is taken out."""
    if any(each is (not all_of) for each in parts):
        return not all_of
    left = [each for each in parts if not isinstance(each, bool)]
    if not left:
        return all_of
    return left[0] if len(left) == 1 else {"$and" if all_of else "$or": left}


def _nothing(fields: Mapping[str, CatalogField]) -> Where:
    for field in fields.values():
        if not field.listed:
            value = next(iter(field.counts))
            return {"$and": [{field.name: {"$eq": value}}, {field.name: {"$ne": value}}]}
    raise FilterTranslationError("nothing passes this filter, and Chroma cannot say so without a field to compare")


def _field(name: str, fields: Mapping[str, CatalogField]) -> CatalogField:
    if name not in fields:
        raise InvalidFilterError(f"no record has the field {name!r}; there are: {', '.join(sorted(fields)) or 'none'}")
    return fields[name]
