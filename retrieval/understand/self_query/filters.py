"""Relaxes filters and reports it; translates filters to Chroma's `where`."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from operator import eq, ge, gt, le, lt
from threading import Lock
from typing import Any

from retrieval.errors import FilterTranslationError, InvalidFilterError
from retrieval.index.snapshot.metadata_index import Scalar
from retrieval.search.metadata_filter import And, Condition, Contains, Eq, Filter, Gt, Gte, In, Lt, Lte, Ne, Not, Or
from retrieval.understand.analysis import QueryAnalysis, UnknownValue
from retrieval.understand.catalog.catalog import CatalogField
from retrieval.understand.self_query.conditions import FieldCondition, SelfQueryConfig

_NAMED = 5
"""The most values of a field that a message lists, the most frequent first."""


class Trigger(Enum):
    """Why a filter was dropped. A question with a topic and no condition has no filter to drop."""

    LOW_CONFIDENCE = "the analysis is not certain enough"
    NO_RESULTS = "no document meets the conditions"
    UNKNOWN_VALUE = "no document has the value"
    UNPARSED = "the model could not analyze the question, so it was read without one"


@dataclass(frozen=True, slots=True)
class Fallback:
    """One step back from a filter."""

    trigger: Trigger
    dropped: tuple[str, ...]
    """The conditions that were dropped, as written in the question."""
    fields: tuple[str, ...]
    left: int
    """Number of documents that meet the remaining conditions."""
    detail: str = ""
    """What went wrong, if anything did."""

    def __str__(self) -> str:
        if self.trigger is Trigger.UNKNOWN_VALUE:
            return f"no document has {self.dropped[0]!r} as {self.fields[0]}{self.detail}; it is searched as a word"
        if not self.dropped:
            return f"{self.trigger.value}: {self.detail}" if self.detail else self.trigger.value
        return f"{self.trigger.value}; dropped {', '.join(map(repr, self.dropped))}, which leaves {self.left} documents"


@dataclass(slots=True)
class FallbackHandler:
    """Decides when filters are dropped, and counts the reasons. Safe to share between threads."""

    config: SelfQueryConfig = field(default_factory=SelfQueryConfig)
    _counts: Counter[tuple[Trigger, str]] = field(default_factory=Counter)
    _lock: Lock = field(default_factory=Lock)

    def before(
        self, analysis: QueryAnalysis, conditions: Sequence[FieldCondition], n_documents: int
    ) -> Fallback | None:
        """Return why the conditions are not used at all; None if they are used."""
        sure = min((condition.confidence for condition in conditions), default=1.0)
        if conditions and min(sure, analysis.confidence) < self.config.fallback_threshold:
            return self._told(_dropped(Trigger.LOW_CONFIDENCE, conditions, n_documents))
        return None

    def unparsed(self, detail: str, n_documents: int) -> Fallback:
        """Return the fallback for a model that did not answer."""
        return self._told(Fallback(Trigger.UNPARSED, (), (), n_documents, detail))

    def unknown(self, value: UnknownValue, field: CatalogField, n_documents: int) -> Fallback:
        """Return the fallback for a value that no document has."""
        often = sorted(field.counts, key=lambda known: (-field.counts[known], str(known)))
        more = ", ..." if len(often) > _NAMED else ""
        detail = f" (there are {', '.join(map(str, often[:_NAMED]))}{more})"
        return self._told(Fallback(Trigger.UNKNOWN_VALUE, (value.text,), (value.field,), n_documents, detail))

    def relaxed(
        self, conditions: Sequence[FieldCondition], n_left: Callable[[Sequence[FieldCondition]], int]
    ) -> tuple[tuple[FieldCondition, ...], tuple[Fallback, ...]]:
        """Drop the least certain condition without which a document meets the rest; if there is none, drop the least
        certain one and then all. Return the rest and the steps.

        Args:
            conditions: conditions that no document meets together.
            n_left: returns how many documents meet some of them.
        """
        ascending = sorted(conditions, key=lambda condition: condition.confidence)

        def without(condition: FieldCondition) -> tuple[FieldCondition, ...]:
            return tuple(other for other in conditions if other is not condition)

        least = next((condition for condition in ascending if n_left(without(condition))), ascending[0])
        steps = []
        others = without(least)
        for kept, gone in ((others, (least,)), ((), others)):
            if not gone:
                continue
            left = n_left(kept)
            steps.append(self._told(_dropped(Trigger.NO_RESULTS, gone, left)))
            if left:
                return kept, tuple(steps)
        return (), tuple(steps)

    def patterns(self) -> dict[tuple[str, str], int]:
        """Return how often each field was dropped, by (reason, field), most frequent first."""
        with self._lock:
            return {(trigger.value, name): count for (trigger, name), count in self._counts.most_common()}

    def _told(self, fallback: Fallback) -> Fallback:
        with self._lock:
            self._counts.update((fallback.trigger, name) for name in fallback.fields or ("",))
        return fallback


def _dropped(trigger: Trigger, conditions: Sequence[FieldCondition], left: int) -> Fallback:
    fields = tuple(dict.fromkeys(name for condition in conditions for name in condition.fields))
    return Fallback(trigger, tuple(condition.text for condition in conditions), fields, left)


Where = Mapping[str, Any]

_COMPARE: Mapping[type[Filter], Callable[[Any, Any], bool]] = {Gt: gt, Gte: ge, Lt: lt, Lte: le}
_NUMBERS = frozenset({int, float})
_NATIVE: Mapping[type[Filter], str] = {Gt: "$gt", Gte: "$gte", Lt: "$lt", Lte: "$lte"}


def chroma_where(wanted: Filter, fields: Mapping[str, CatalogField]) -> Where | None:
    """Return the same filter for Chroma; None if everything passes.

    Args:
        fields: the fields of the collection, by name.

    Raises:
        InvalidFilterError: the filter names a field that the collection does not have.
        FilterTranslationError: Chroma cannot express that nothing passes, because the collection has no field.
    """
    condition = _where(wanted, fields, negated=False)
    if condition is True:
        return None
    return _nothing(fields) if condition is False else condition


def _where(wanted: Filter, fields: Mapping[str, CatalogField], *, negated: bool) -> Where | bool:
    if isinstance(wanted, Not):
        return _where(wanted.filter, fields, negated=not negated)
    if isinstance(wanted, And | Or):
        parts = [_where(inner, fields, negated=negated) for inner in wanted.filters]
        return _joined(parts, all_of=isinstance(wanted, And) != negated)
    if isinstance(wanted, Ne):
        return _where(Eq(wanted.key, wanted.value), fields, negated=not negated)
    if isinstance(wanted, Contains) and _field(wanted.key, fields).listed:
        return {wanted.key: {"$not_contains" if negated else "$contains": wanted.value}}
    if isinstance(wanted, Condition | In):
        return _compared(wanted, _field(wanted.key, fields), negated=negated)
    raise FilterTranslationError(f"{wanted!r} has no form in Chroma; use the records of metadata_filter")


def _compared(wanted: Condition | In, field: CatalogField, *, negated: bool) -> Where | bool:
    """Return a comparison with a single value as a comparison of Chroma, or as the list of values that pass it."""
    native = _NATIVE.get(type(wanted))
    # Chroma truncates decimals before it compares a whole number with another number.
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
        return any(_passes(Eq(wanted.key, option), value) for option in wanted.values)
    compare: Callable[[Any, Any], bool] = _COMPARE.get(type(wanted), eq)
    alike = isinstance(value, str) == isinstance(wanted.value, str)
    return alike and isinstance(value, bool) == isinstance(wanted.value, bool) and compare(value, wanted.value)


def _joined(parts: Sequence[Where | bool], *, all_of: bool) -> Where | bool:
    """Return `$and` or `$or` of the parts, without those that are always true or always false."""
    if any(part is (not all_of) for part in parts):
        return not all_of
    left = [part for part in parts if not isinstance(part, bool)]
    if not left:
        return all_of
    return left[0] if len(left) == 1 else {"$and" if all_of else "$or": left}


def _nothing(fields: Mapping[str, CatalogField]) -> Where:
    for scalar in (catalog_field for catalog_field in fields.values() if not catalog_field.listed):
        value = next(iter(scalar.counts))
        return {"$and": [{scalar.name: {"$eq": value}}, {scalar.name: {"$ne": value}}]}
    raise FilterTranslationError("nothing passes this filter, and Chroma cannot say so without a field to compare")


def _field(name: str, fields: Mapping[str, CatalogField]) -> CatalogField:
    if name not in fields:
        raise InvalidFilterError(f"no record has the field {name!r}; available: {', '.join(sorted(fields)) or 'none'}")
    return fields[name]
