"""Analyzes questions with a chat model that is given the catalogue; its answers are checked against the catalogue."""

import asyncio
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import date, timedelta
from importlib.resources import files
from typing import TYPE_CHECKING, Literal

from pydantic import BaseModel, ConfigDict, Field

from retrieval.index.snapshot.metadata_index import Scalar
from retrieval.understand.analysis import (
    Chat,
    Entity,
    FilterOperator,
    QueryAnalysis,
    QueryIntent,
    Span,
    TemporalRef,
    UnknownValue,
)
from retrieval.understand.catalog.catalog import Catalog, CatalogField
from retrieval.understand.catalog.words import keys
from retrieval.understand.self_query.conditions import DEFAULTS, SelfQueryConfig

if TYPE_CHECKING:
    from retrieval.models.openai_client import GivenClient, OpenAiClient

LISTED = 60
"""The most values of a field that the model is shown, the most frequent first."""
_CLOSED = ("text", "person", "version")
"""Kinds of fields whose values must be in the index."""


class ModelCondition(BaseModel):
    """One condition, as the model answers."""

    model_config = ConfigDict(extra="forbid")
    text: str
    field: str
    operator: Literal["$eq", "$ne", "$gt", "$gte", "$lt", "$lte", "$contains"]
    values: list[str | float | bool]
    negated: bool


class ModelAnswer(BaseModel):
    """A question as the model reads it."""

    model_config = ConfigDict(extra="forbid")
    conditions: list[ModelCondition]
    topic: str
    intent: Literal["search", "filter", "combined", "aggregate"]
    group_by: str
    confidence: float = Field(ge=0, le=1)
    explanation: str


@dataclass(frozen=True, slots=True)
class ModelAnalyzer:
    """Reads questions with a chat model."""

    client: "OpenAiClient | GivenClient"
    """Our client, OpenAI's, or any with the same interface."""
    catalog: Catalog
    today: Callable[[], date] = date.today
    config: SelfQueryConfig = DEFAULTS

    async def analyze(self, query: str) -> QueryAnalysis:
        """Return the analysis of the question; the request runs in a separate thread.

        Raises:
            QueryAnalysisError: the server cannot be reached or refuses, or its answer does not have the required form.
        """
        return await asyncio.to_thread(self.read, query)

    def read(self, query: str) -> QueryAnalysis:
        """Like `analyze`, in this thread."""
        answer, tokens = self._model_answer(query)
        entities: list[Entity] = []
        times: list[TemporalRef] = []
        unknown: list[UnknownValue] = []
        for number, condition in enumerate(answer.conditions, start=1):
            field = self.catalog.fields.get(condition.field)
            if field is None:
                continue
            span = _span(query, condition.text)
            if field.is_date:
                named = [*_times(condition, field, span, answer.confidence, number)]
                if condition.values and not named:
                    unknown.append(UnknownValue(", ".join(map(str, condition.values)), field.name))
                times += named
                continue
            known = [*_entities(condition, field, span, answer.confidence, number)]
            if condition.values and not known:
                unknown.append(UnknownValue(", ".join(map(str, condition.values)), field.name))
            entities += known
        has_conditions = bool(entities or times)
        intent = QueryIntent(answer.intent)
        if not has_conditions and intent in (QueryIntent.FILTER, QueryIntent.COMBINED):
            intent = QueryIntent.SEARCH
        return QueryAnalysis(
            original_query=query,
            intent=intent,
            entities=tuple(entities),
            temporal_refs=tuple(times),
            attributes={
                entity.field: tuple(one.value for one in entities if one.field == entity.field) for entity in entities
            },
            confidence=answer.confidence,
            topic=answer.topic if has_conditions else query,
            grouped_by=answer.group_by if answer.group_by in self.catalog.fields else None,
            explanation=answer.explanation,
            unknown=tuple(unknown),
            tokens=tokens,
        )

    def _model_answer(self, query: str) -> tuple[ModelAnswer, int]:
        prompt = files(__package__).joinpath("prompt.txt").read_text("utf-8")
        told = prompt.format(
            today=self.today().isoformat(), fields="\n".join(map(_described, self.catalog.fields.values()))
        )
        config = self.config
        chat = Chat(self.client, config.llm_model, config.llm_temperature, config.llm_max_tokens)
        return chat.ask(told, query, ModelAnswer)


def _described(field: CatalogField) -> str:
    """Return the line of the prompt about a field."""
    kind = "list of values" if field.listed else {"date": "ISO date", "epoch": "date"}.get(field.kind, field.kind)
    if field.kind not in _CLOSED:
        if field.kind == "free":
            return f"- {field.name}: text"
        numeric = all(isinstance(value, int | float) for value in field.counts)
        known = sorted(field.counts, key=float if numeric else str)
        return f"- {field.name}: {kind}, from {known[0]} to {known[-1]}"
    often = sorted(field.counts, key=lambda value: (-field.counts[value], str(value)))
    more = f", and {len(often) - LISTED} more" if len(often) > LISTED else ""
    return f"- {field.name}: {kind}: " + ", ".join(map(str, often[:LISTED])) + more


def _entities(
    condition: ModelCondition, field: CatalogField, span: Span, confidence: float, group: int
) -> Iterator[Entity]:
    operator, negated = FilterOperator(condition.operator), condition.negated
    if operator is FilterOperator.NE:
        operator, negated = FilterOperator.EQ, not negated
    if field.listed and operator is FilterOperator.EQ:
        operator = FilterOperator.CONTAINS
    if not field.listed and operator is FilterOperator.CONTAINS:
        operator = FilterOperator.EQ
    for value in condition.values:
        known = _known(field, value)
        if known is not None:
            yield Entity(condition.text, field.name, known, operator, confidence, span, negated, group)


def _known(field: CatalogField, value: str | float | bool) -> Scalar | None:
    """Return the value as written in the index; None if it is not there but must be."""
    if value in field.counts or field.kind not in _CLOSED:
        numeric = all(isinstance(count, int | float) for count in field.counts)
        return value if isinstance(value, str) != numeric else None
    return next((count for count in field.counts if keys(str(count)) == keys(str(value))), None)


def _times(
    condition: ModelCondition, field: CatalogField, span: Span, confidence: float, group: int
) -> Iterator[TemporalRef]:
    for value in condition.values:
        named = _days(value)
        if named is None:
            continue
        first, last = named
        step = timedelta(days=1)
        start, end = {
            "$gt": (last + step, None),
            "$gte": (first, None),
            "$lt": (None, first - step),
            "$lte": (None, last),
        }.get(condition.operator, named)
        negated = condition.negated != (condition.operator == "$ne")
        yield TemporalRef(condition.text, start, end, confidence, span, field.name, negated, group)


_YEAR = re.compile(r"(?P<year>\d{4})(?:\.0)?")


def _days(value: str | float | bool) -> tuple[date, date] | None:
    """Return the first and last day of a date or a year; None if the value is neither."""
    year = _YEAR.fullmatch(str(value).strip())
    try:
        if year:
            return date(int(year["year"]), 1, 1), date(int(year["year"]), 12, 31)
        day = date.fromisoformat(str(value)[:10])
    except ValueError:
        return None
    return day, day


def _span(query: str, text: str) -> Span:
    at = query.lower().find(text.lower())
    return (at, at + len(text)) if at >= 0 else (0, len(query))
