"""What an answer is, and the events in which it comes."""

from dataclasses import dataclass
from typing import Literal

from retrieval.answer.cells import Cell
from retrieval.types import Hit

EventName = Literal["search", "context", "generation", "token", "complete", "error"]
Mode = Literal["read", "generated", "none"]


@dataclass(frozen=True, slots=True)
class Passage:
    """A chunk that an answer may be taken from. Key: number."""

    number: int
    """1-based; what `[1]` in an answer points to."""
    hit: Hit
    """Its `evidence` has `relevance`, 0 to 1."""
    question: str
    """What it answers: the whole question, or the part of a comparison."""
    says: float = 0.0
    """Share of the whole question that it says, in whatever words; 0 where that was not measured."""


@dataclass(frozen=True, slots=True)
class Citation:
    """Where a part of an answer is from."""

    number: int
    chunk_id: str
    book: str
    document: str
    lines: tuple[int, int]
    title: str


@dataclass(frozen=True, slots=True)
class Answer:
    """The answer to one question, whole."""

    query: str
    text: str
    mode: Mode
    """`read` from cells and sentences, `generated` by a model from the passages, or `none`: not in these books, or
    perhaps not, beside what comes nearest."""
    citations: tuple[Citation, ...]
    """Passages that the text points to, in the order of their numbers."""
    cells: tuple[Cell, ...] = ()
    """What was read; of a generated answer nothing."""
    doubts: tuple[str, ...] = ()
    """What a generated answer says and its passages do not: numbers, and citations of passages that there are not."""
    snapshot: str = ""
    """Id of the index that was asked."""
    read_as: str | None = None
    """The question with its misspelt words as they were read; None where it was read as it is written."""
    model: str | None = None
    server: str | None = None
    """Host of the model."""
    tokens: int = 0
    """Used by the model, prompt and answer; 0 where the server does not say."""
    usd: float | None = None
    """What they cost; None where the price of the model on that server is not known, or the tokens are not."""


@dataclass(frozen=True, slots=True)
class AnswerEvent:
    """A step on the way to an answer; `event` and `data` are those of seed 002."""

    event: EventName
    data: str
    """What is being done, a piece of the answer's text, or what went wrong."""
    passages: tuple[Passage, ...] = ()
    """Of `context`."""
    answer: Answer | None = None
    """Of `complete`."""
