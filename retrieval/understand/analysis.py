"""The analysis of a question beyond its topic: the records of seed 003, which the analyzers return."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date
from enum import Enum
from typing import TYPE_CHECKING, Protocol, TypeVar

from pydantic import BaseModel, ValidationError

from retrieval.errors import ModelError, QueryAnalysisError
from retrieval.index.snapshot.metadata_index import Scalar
from retrieval.models.chat import ChatRequest
from retrieval.models.openai_client import OpenAiClient
from retrieval.search.query import MAX_CHARACTERS

if TYPE_CHECKING:
    from retrieval.models.openai_client import GivenClient


Span = tuple[int, int]
"""Index of the first character in the question, and the one after the last."""


class QueryIntent(Enum):
    """The kind of result that a question asks for."""

    SEARCH = "search"
    """The best documents for a topic, without conditions on metadata."""
    FILTER = "filter"
    """Every document that meets the conditions, without a topic."""
    COMBINED = "combined"
    """The best documents for a topic among those that meet the conditions."""
    AGGREGATE = "aggregate"
    """The number of documents, or their number by value."""


class FilterOperator(Enum):
    """The comparisons and connections of a filter, spelled as Chroma spells them."""

    EQ = "$eq"
    NE = "$ne"
    GT = "$gt"
    GTE = "$gte"
    LT = "$lt"
    LTE = "$lte"
    IN = "$in"
    NIN = "$nin"
    CONTAINS = "$contains"
    AND = "$and"
    OR = "$or"


@dataclass(frozen=True, slots=True)
class Entity:
    """A metadata value that a question names."""

    text: str
    """As written in the question."""
    field: str
    value: Scalar
    operator: FilterOperator
    confidence: float
    """0 to 1: how certain it is that the value is a condition and not part of the topic."""
    span: Span
    negated: bool = False
    group: int = 0
    """Entities of one group are alternatives: one must match, or if they are negated, none may."""


@dataclass(frozen=True, slots=True)
class TemporalRef:
    """A time that a question names."""

    text: str
    start: date | None
    """The first day; None: no bound."""
    end: date | None
    """The last day; None: no bound."""
    confidence: float
    span: Span
    field: str | None = None
    """The date field that is meant; None: the index has none."""
    negated: bool = False
    group: int | None = None
    """Times of one group are alternatives; None: it has none."""


@dataclass(frozen=True, slots=True)
class UnknownValue:
    """A value that a question requires of a field and that no document has."""

    text: str
    """As written in the question."""
    field: str


@dataclass(frozen=True, slots=True)
class QueryAnalysis:
    """The analysis of a question. Key: original_query."""

    original_query: str
    intent: QueryIntent
    entities: tuple[Entity, ...] = ()
    temporal_refs: tuple[TemporalRef, ...] = ()
    attributes: Mapping[str, tuple[Scalar, ...]] = field(default_factory=dict)
    """Required and excluded values, by field."""
    confidence: float = 1.0
    """0 to 1: that of the least certain condition; 1 if there are none."""
    topic: str = ""
    """The question without its conditions; empty if it has only conditions."""
    grouped_by: str | None = None
    """The field whose values are counted, for an aggregate."""
    explanation: str = ""
    """One sentence that explains how the question was read."""
    unknown: tuple[UnknownValue, ...] = ()
    """Required values that no document has; they do not become conditions."""
    tokens: int = 0
    """Tokens that a model used."""


def require_readable(query: str) -> None:
    """Check that a question can be read.

    Raises:
        QueryAnalysisError: it is empty, or longer than 2,000 characters.
    """
    if not query.strip() or len(query) > MAX_CHARACTERS:
        raise QueryAnalysisError(
            f"the question has {len(query)} characters; ask one of 1 to {MAX_CHARACTERS} that are not all blank"
        )


class Analyzer(Protocol):
    """Reads questions."""

    async def analyze(self, query: str) -> QueryAnalysis:
        """Return the analysis of the question.

        Raises:
            QueryAnalysisError: the question cannot be analyzed.
        """


Form = TypeVar("Form", bound=BaseModel)


@dataclass(frozen=True, slots=True)
class Chat:
    """A client of a chat server, with the parameters of its requests."""

    client: "OpenAiClient | GivenClient"
    """Our client, OpenAI's, or any with the same interface."""
    model: str
    temperature: float
    max_tokens: int
    """The most tokens of one answer."""

    def ask(self, system_message: str, user_message: str, form: type[Form]) -> tuple[Form, int]:
        """Return the answer in the given form, and the number of tokens used.

        Args:
            form: the model of the answer; it forbids other fields.

        Raises:
            QueryAnalysisError: the server cannot be reached or refuses, or its answer does not have the given form.
        """
        request = ChatRequest(
            self.model, (("system", system_message), ("user", user_message)), self.max_tokens, self.temperature, form
        )
        try:
            client = self.client if isinstance(self.client, OpenAiClient) else OpenAiClient.over(self.client)
            answer = client.chat(request)
            if answer.refusal:
                raise QueryAnalysisError(f"{self.model} refused the question: {answer.refusal}")
            if answer.finish == "length":
                raise QueryAnalysisError(
                    f"the answer of {self.model} was cut off at {self.max_tokens} tokens; raise llm_max_tokens"
                )
            return form.model_validate_json(answer.content), answer.usage.total
        except ModelError as error:
            raise QueryAnalysisError(str(error)) from error
        except ValidationError as error:
            raise QueryAnalysisError(f"{self.model} did not answer in the requested form: {error}") from error
