"""What a question says beside its topic: the records of seed 003, in which the analyzers answer."""

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
"""First character in the question, and the one after the last."""


class QueryIntent(Enum):
    """What a question wants."""

    SEARCH = "search"
    """The best documents for a topic; no condition on metadata."""
    FILTER = "filter"
    """Every document that meets the conditions; no topic is left."""
    COMBINED = "combined"
    """The best documents for a topic among those that meet the conditions."""
    AGGREGATE = "aggregate"
    """How many there are, or how many of each value."""


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
    """A value of the metadata that a question names."""

    text: str
    """As the question writes it."""
    field: str
    value: Scalar
    operator: FilterOperator
    confidence: float
    """0 to 1: how sure it is that the value is a condition and not a part of the topic."""
    span: Span
    negated: bool = False
    group: int = 0
    """Entities of one group are alternatives: one of them is enough, or none of them where they are negated."""


@dataclass(frozen=True, slots=True)
class TemporalRef:
    """A time that a question names."""

    text: str
    start: date | None
    """The first day; None: open."""
    end: date | None
    """The last day; None: open."""
    confidence: float
    span: Span
    field: str | None = None
    """Which date is meant; None: the index has none."""
    negated: bool = False


@dataclass(frozen=True, slots=True)
class UnknownValue:
    """A value that a question asks of a field and that no document has."""

    text: str
    """As the question writes it."""
    field: str


@dataclass(frozen=True, slots=True)
class QueryAnalysis:
    """What a question says. Key: original_query."""

    original_query: str
    intent: QueryIntent
    entities: tuple[Entity, ...] = ()
    temporal_refs: tuple[TemporalRef, ...] = ()
    attributes: Mapping[str, tuple[Scalar, ...]] = field(default_factory=dict)
    """By field: the values that are asked for or refused."""
    confidence: float = 1.0
    """0 to 1: of the least certain condition; 1 where there is none."""
    topic: str = ""
    """What is left of the question without its conditions; empty where only conditions are asked."""
    grouped_by: str | None = None
    """The field whose values are counted, in an aggregate."""
    explanation: str = ""
    """One sentence: how the question was read."""
    unknown: tuple[UnknownValue, ...] = ()
    """Values that were asked for and that no document has: no condition is made of them."""
    tokens: int = 0
    """That a model was paid for."""


def require_readable(query: str) -> None:
    """See that a question can be read.

    Raises:
        QueryAnalysisError: it is empty, or longer than 2,000 characters.
    """
    if not query.strip() or len(query) > MAX_CHARACTERS:
        raise QueryAnalysisError(
            f"the question has {len(query)} characters; ask one of 1 to {MAX_CHARACTERS} that are not all blank"
        )


class Analyzer(Protocol):
    """Whoever reads questions."""

    async def analyze(self, query: str) -> QueryAnalysis:
        """What the question says.

        Raises:
            QueryAnalysisError: the question cannot be analyzed.
        """


Form = TypeVar("Form", bound=BaseModel)


@dataclass(frozen=True, slots=True)
class Chat:
    """A client of a chat server, and how it is asked."""

    client: "OpenAiClient | GivenClient"
    """Ours, OpenAI's, or any with the interface of that."""
    model: str
    temperature: float
    max_tokens: int
    """Of one answer."""

    def ask(self, system_message: str, user_message: str, form: type[Form]) -> tuple[Form, int]:
        """The answer in its form, and how many tokens were used for it.

        Args:
            system_message: what the model is told first.
            user_message: the question.
            form: what the answer must be; forbids other fields.

        Raises:
            QueryAnalysisError: the server cannot be reached or refuses, or what it answers is not of the asked form.
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
                    f"the answer of {self.model} was cut at {self.max_tokens} tokens; raise llm_max_tokens"
                )
            return form.model_validate_json(answer.content), answer.usage.total
        except ModelError as error:
            raise QueryAnalysisError(str(error)) from error
        except ValidationError as error:
            raise QueryAnalysisError(f"{self.model} did not answer in the asked form: {error}") from error
