"""The conditions of an analysis on metadata, each with its certainty."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from retrieval.errors import FilterTranslationError, InvalidFilterError, InvalidQueryError
from retrieval.index.snapshot.metadata_index import Scalar
from retrieval.search.metadata_filter import And, Contains, Eq, Filter, Gt, Gte, Lt, Lte, Ne, Not, Or
from retrieval.understand.analysis import Entity, FilterOperator, QueryAnalysis, QueryIntent, TemporalRef
from retrieval.understand.catalog.catalog import Catalog
from retrieval.understand.hints import HintConfig


@dataclass(frozen=True, slots=True)
class SelfQueryConfig:
    """How questions become filters, and when filters are dropped.

    Raises:
        InvalidQueryError: a number is out of its range; the message names it.
    """

    llm_model: str = "gpt-4o-mini"
    """Seed 003 names gpt-3.5-turbo, which does not support structured output."""
    llm_temperature: float = 0.0
    llm_max_tokens: int = 500
    filter_confidence_threshold: float = 0.7
    """A less certain condition is not used."""
    max_filter_conditions: int = 5
    """The most conditions that are used; the most certain ones."""
    fallback_on_empty: bool = True
    """Whether a filter that leaves nothing is relaxed."""
    fallback_threshold: float = 0.5
    """A less certain analysis filters nothing."""
    hint_fields: tuple[str, ...] = ("category", "doc_type")
    """Fields whose values in a question are hints: they raise documents and exclude none."""
    hints: HintConfig = field(default_factory=HintConfig)
    cache_analysis: bool = True
    cache_ttl_seconds: int = 3600

    def __post_init__(self) -> None:
        for name in ("filter_confidence_threshold", "fallback_threshold"):
            if not 0 <= getattr(self, name) <= 1:
                raise InvalidQueryError(f"{name} is {getattr(self, name)}; give a number from 0 to 1")
        for name in ("llm_max_tokens", "max_filter_conditions", "cache_ttl_seconds"):
            if getattr(self, name) < 1:
                raise InvalidQueryError(f"{name} is {getattr(self, name)}; give a whole number, at least 1")
        if not 0 <= self.llm_temperature <= 2:
            raise InvalidQueryError(f"llm_temperature is {self.llm_temperature}; give a number from 0 to 2")


DEFAULTS = SelfQueryConfig()
_COUNTING = re.compile(r"\b(?:how many|(?:number|count) of)\s+(?:the\s+)?$", re.IGNORECASE)
"""Words before a noun that is counted."""


_COMPARISONS: Mapping[FilterOperator, Callable[[str, Scalar], Filter]] = {
    FilterOperator.EQ: Eq,
    FilterOperator.NE: Ne,
    FilterOperator.GT: Gt,
    FilterOperator.GTE: Gte,
    FilterOperator.LT: Lt,
    FilterOperator.LTE: Lte,
    FilterOperator.CONTAINS: Contains,
}


@dataclass(frozen=True, slots=True)
class FieldCondition:
    """One condition on metadata."""

    text: str
    """As written in the question."""
    fields: tuple[str, ...]
    filter: Filter
    confidence: float


@dataclass(frozen=True, slots=True)
class CategoryHint:
    """A category or document type that a question names or negates. It raises or lowers its documents, and excludes
    nothing."""

    text: str
    """As written in the question."""
    field: str
    value: str
    weight: float
    """Factor for relevance: the boost of the settings, or 1 divided by it if the question negates the value."""
    is_denied: bool = False


@dataclass(frozen=True, slots=True)
class FilterTranslator:
    """Translates an analysis to the filter records that `--where` uses, and to hints.

    A value of a field of `config.hint_fields` is a hint, because a document of any category may answer. It is a
    condition if nothing is ranked: in an aggregate, and if the question has no topic and negates it.
    """

    catalog: Catalog
    config: SelfQueryConfig = DEFAULTS

    def conditions(self, analysis: QueryAnalysis) -> tuple[FieldCondition, ...]:
        """Return the conditions that are certain enough, in the order of the question; at most as many as the settings
        allow.

        Raises:
            InvalidFilterError: a condition names a field that the index does not have.
            FilterTranslationError: an operator cannot compare a field with a value.
        """
        hinted = {entity.group for entity in self._hinting(analysis)}
        entities = [entity for entity in analysis.entities if entity.group not in hinted]
        conditions = [*self._of_entities(entities), *self._of_times(analysis.temporal_refs)]
        sure = [
            condition for condition in conditions if condition.confidence >= self.config.filter_confidence_threshold
        ]
        kept = sorted(sure, key=lambda condition: -condition.confidence)[: self.config.max_filter_conditions]
        return tuple(condition for condition in sure if condition in kept)

    def hints(self, analysis: QueryAnalysis) -> tuple[CategoryHint, ...]:
        """Return the categories and document types that a question names, in order; empty for an aggregate.

        A counted noun, as in `how many spells does a wizard know`, is not a hint: it does not indicate where the number
        is.
        """
        boost = self.config.hints.category_hint_boost
        return tuple(
            CategoryHint(
                entity.text, entity.field, str(entity.value), 1 / boost if entity.negated else boost, entity.negated
            )
            for entity in self._hinting(analysis)
            if not _COUNTING.search(analysis.original_query, 0, entity.span[0])
        )

    def _hinting(self, analysis: QueryAnalysis) -> Iterator[Entity]:
        """Yield the values that are not conditions."""
        if analysis.intent is not QueryIntent.AGGREGATE:
            for entity in analysis.entities:
                if entity.field in self.config.hint_fields and (analysis.topic or not entity.negated):
                    yield entity

    def _of_entities(self, entities: Sequence[Entity]) -> Iterator[FieldCondition]:
        for group in dict.fromkeys(entity.group for entity in entities):
            alternatives = [entity for entity in entities if entity.group == group]
            filters = tuple(self._compared(alternative) for alternative in alternatives)
            whole = filters[0] if len(filters) == 1 else Or(filters)
            yield FieldCondition(
                " or ".join(dict.fromkeys(alternative.text for alternative in alternatives)),
                tuple(dict.fromkeys(alternative.field for alternative in alternatives)),
                Not(whole) if alternatives[0].negated else whole,
                min(alternative.confidence for alternative in alternatives),
            )

    def _compared(self, entity: Entity) -> Filter:
        if entity.field not in self.catalog.fields:
            raise InvalidFilterError(
                f"{entity.text!r} was read as {entity.field}={entity.value!r}, but no document has the field "
                f"{entity.field!r}; available: {', '.join(self.catalog.fields)}"
            )
        if entity.operator not in _COMPARISONS:
            raise FilterTranslationError(
                f"{entity.text!r} was read as {entity.field} {entity.operator.value} {entity.value!r}; compare with "
                f"one of {', '.join(operator.value for operator in _COMPARISONS)}"
            )
        return _COMPARISONS[entity.operator](entity.field, entity.value)

    def _of_times(self, times: Sequence[TemporalRef]) -> Iterator[FieldCondition]:
        groups: dict[int, list[TemporalRef]] = {}
        for number, time in enumerate(times):
            groups.setdefault(-1 - number if time.group is None else time.group, []).append(time)
        for alternatives in groups.values():
            first = alternatives[0]
            filters = tuple(self._within(time.field, time) for time in alternatives if time.field is not None)
            if first.field is not None:
                whole = filters[0] if len(filters) == 1 else Or(filters)
                yield FieldCondition(
                    first.text, (first.field,), Not(whole) if first.negated else whole, first.confidence
                )

    def _within(self, name: str, time: TemporalRef) -> Filter:
        if name not in self.catalog.fields:
            raise InvalidFilterError(f"{time.text!r} was read as a time of {name!r}, which no document has")
        field = self.catalog.fields[name]
        bounds: list[Filter] = []
        if time.start:
            bounds.append(Gte(name, field.stored(time.start, is_end=False)))
        if time.end:
            bounds.append(Lte(name, field.stored(time.end, is_end=True)))
        return bounds[0] if len(bounds) == 1 else And(tuple(bounds))


def together(conditions: Sequence[FieldCondition]) -> Filter | None:
    """Return a filter that requires all of these conditions; None if there are none."""
    if not conditions:
        return None
    return conditions[0].filter if len(conditions) == 1 else And(tuple(condition.filter for condition in conditions))


def both_of(one: Filter | None, other: Filter | None) -> Filter | None:
    """Return a filter that requires both filters; None: everything passes."""
    given = tuple(wanted for wanted in (one, other) if wanted is not None)
    return And(given) if len(given) > 1 else next(iter(given), None)
