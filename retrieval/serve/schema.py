"""The bodies of requests and responses, with examples.

The responses of `/v1/query`, `/v1/ask` and `/v1/explain` are the records of `rag/passages.py`, `rag/finder.py` and
`search/explanation.py` as JSON.
"""

from typing import Annotated, Any, Literal
from uuid import UUID

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field

from retrieval.rag.contract import RuleDocument
from retrieval.search.query import MAX_CHARACTERS

_QUESTION = "What does a 7th level cleric need to roll to hit AC 6?"


def _whole(value: Any) -> Any:
    return int(value) if isinstance(value, float) and value.is_integer() else value


Count = Annotated[int, Field(ge=1, le=1000, description="Most hits to return."), BeforeValidator(_whole)]
"""JSON has only one type of number: `15.0` is a whole number."""
Question = Annotated[
    str,
    Field(
        min_length=1,
        max_length=MAX_CHARACTERS,
        examples=[_QUESTION],
        description="The question in plain words.",
        json_schema_extra={"pattern": r"\S"},
    ),
]
Condition = Annotated[
    str,
    Field(
        max_length=500,
        examples=["kind!=prose"],
        description="KEY=VALUE, or one of != > >= < <= between them.",
        json_schema_extra={"pattern": r"^[^=!<>]*[^=!<>\s][^=!<>]*(!=|>=|<=|=|>|<)[^=!<>\s]"},
    ),
]
StrategyName = Annotated[str, Field(max_length=100, examples=["default"], description="Name of a strategy.")]
ChosenStrategy = Annotated[
    StrategyName | None, Field(description="Name of a strategy; null: that of the server, or `strategy` of rag.yaml.")
]


class _Body(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)


class RetrieveBody(_Body):
    """A search."""

    query: Question
    k: Count = 15
    strategy: ChosenStrategy = None
    where: Annotated[list[Condition], Field(max_length=20, description="Metadata conditions; all must hold.")] = []
    min_relevance: Annotated[float | None, Field(ge=0, le=1, description="Minimum relevance of a hit.")] = None
    query_must: Annotated[bool, Field(description="Whether the predicates of rows exclude rows.")] = True
    rendered: Annotated[bool, Field(description="Whether to include the text of each hit as HTML.")] = False


class AskBody(_Body):
    """A question for documents, with conditions in plain words."""

    query: Annotated[str, Field(min_length=1, max_length=MAX_CHARACTERS, examples=["recent documents about psionics"])]
    top_k: Annotated[int, Field(ge=1, le=1000, description="Most documents to return."), BeforeValidator(_whole)] = 10
    where: Annotated[list[Condition], Field(max_length=20, description="Conditions that are never relaxed.")] = []
    how: Annotated[
        Literal["auto", "rules"],
        Field(description="Who reads the question. auto: the model of `understand` in rag.yaml if an API key is set."),
    ] = "auto"


ContextKey = Annotated[
    str,
    Field(
        min_length=3,
        max_length=200,
        pattern=r"\S:\S",
        examples=["tavern:ann"],
        description="CHANNEL:USER, whose conversation it is: the same question gets the same answer for a while.",
    ),
]


class QueryBody(_Body):
    """A question to be answered."""

    query: Question
    how: Annotated[
        Literal["auto", "read", "generate"],
        Field(
            description="read: from cells and sentences; generate: by a model; auto: by a model if an API key is set."
        ),
    ] = "auto"
    where: Annotated[list[Condition], Field(max_length=20, description="Metadata conditions; all must hold.")] = []
    context_key: ContextKey | None = None


class ExplainBody(_Body):
    """A question and one chunk."""

    query: Question
    chunk_id: Annotated[str, Field(min_length=1, max_length=100, description="Id of a chunk, or the beginning of one.")]
    strategy: ChosenStrategy = None


class FeedbackBody(_Body):
    """What a person says of a hit."""

    query: Question
    chunk_id: Annotated[str, Field(min_length=1, max_length=100)]
    verdict: Literal["relevant", "irrelevant"]
    note: Annotated[str, Field(max_length=MAX_CHARACTERS)] = ""


class DocumentBody(BaseModel):
    """One document; `source`, `doc_type` and `last_update_date` in its metadata or its front matter."""

    model_config = ConfigDict(extra="forbid")

    document_id: UUID
    filename: Annotated[str, Field(min_length=1, max_length=255, examples=["faq.md"])]
    content: Annotated[str, Field(description="The whole document as markdown.")]
    metadata: dict[str, Any] = {}

    def document(self) -> RuleDocument:
        """Return it as a document of the contract."""
        return RuleDocument(self.document_id, self.filename, self.content, self.metadata)


class IngestBody(_Body):
    """Documents that go live together."""

    documents: Annotated[list[DocumentBody], Field(min_length=1, max_length=1000)]


class Addend(BaseModel):
    """A part of a score; the contributions add up to it."""

    name: str
    value: float
    weight: float
    contribution: float


class RenderedHit(BaseModel):
    """A hit as HTML: no script, style or image; the words of the question are in `<mark>`."""

    html: Annotated[str, Field(description="The text of a passage as HTML; empty for a row.")]
    columns: list[str]
    cells: list[str]
    missing: Annotated[list[str], Field(description="Words of the question that are neither in the hit nor above it.")]
    table: Annotated[str, Field(description="Title of its table; empty for a passage.")]
    table_id: Annotated[str | None, Field(description="Id of its table; null for a passage.")]
    n_rows: Annotated[int, Field(description="Number of rows of its table; 0 for a passage.")]


class HitRecord(BaseModel):
    """A chunk at its place."""

    rank: int
    score: Annotated[float, Field(description="Ranks the hits of one question; it has no bounds.")]
    relevance: Annotated[
        float | None, Field(description="Calibrated, 0 to 1; null unless `min_relevance` was given as 0 or more.")
    ]
    id: str
    short_id: str
    title: str
    kind: str
    book: str
    document: str
    lines: list[int]
    heading_path: list[str]
    caption: str | None
    row_key: str | None
    columns: list[str]
    cells: list[str]
    query_must: str | None
    text: str
    evidence: dict[str, float]
    addends: list[Addend]
    kept_out: Annotated[
        str | None,
        Field(description="Why the filter would exclude it, if `query_must` is false; null: it would not."),
    ] = None
    rendered: Annotated[RenderedHit | None, Field(description="Only if the request has `rendered`.")] = None


class RetrievalRecord(BaseModel):
    """Hits and how they came about."""

    query: str
    strategy: str
    hits: list[HitRecord]
    receipt: dict[str, Any]
    snapshot: Annotated[str, Field(description="Id of the snapshot that answered.")]
    reason: Annotated[str | None, Field(description="Why there is no hit, if the request has `min_relevance`.")]


class NamedChunk(BaseModel):
    """A chunk by its name and place."""

    id: str
    title: str
    book: str
    document: str


class ScoreCard(BaseModel):
    """One number of an evaluation."""

    title: str
    value: str
    about: str


class EvaluatedQuestion(BaseModel):
    """A test question, and what came of it."""

    query: str
    gold: list[NamedChunk]
    gold_rank: Annotated[int | None, Field(description="Rank of the first gold chunk; null: not among the first 100.")]
    first: Annotated[NamedChunk | None, Field(description="The first hit, if it is not gold.")]
    why: list[str]


class EvaluationRecord(BaseModel):
    """How the live index scores on its test questions with the strategy that ships."""

    snapshot: str
    strategy: str
    cards: list[ScoreCard]
    questions: list[EvaluatedQuestion]


class ErrorDetail(BaseModel):
    """What went wrong."""

    type: str
    message: str


class ErrorResponse(BaseModel):
    """The body of every answer that is no success."""

    error: ErrorDetail
