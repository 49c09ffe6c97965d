"""Questions written by a model: one request for each table or section, with checked answers."""

import json
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from hashlib import sha256

from pydantic import BaseModel, ConfigDict

from evals.generation.generation import DocumentQuestions, by_document
from evals.questions.questions import GENERATED, Anchor, Question
from retrieval.index.snapshot.snapshot import Snapshot
from retrieval.models.batching import Inquiry, in_form
from retrieval.models.chat import ChatRequest, prompt_words, versioned
from retrieval.models.inquiries import Inquiries
from retrieval.models.spending import Bill
from retrieval.query_must.operators import only_conditional
from retrieval.query_must.predicate import satisfies_query_must
from retrieval.types import Chunk


class ModelQuestion(BaseModel):
    """A question and the number of the passage that answers it."""

    model_config = ConfigDict(extra="forbid")
    passage: int
    question: str


class ModelQuestions(BaseModel):
    """All questions about a place."""

    model_config = ConfigDict(extra="forbid")
    questions: list[ModelQuestion]


PROMPT_FILE = "prompt_v1.txt"
MOST_PASSAGES, LONGEST, LEAST = 30, 1000, 80
"""Most passages of a request, most characters shown of one, and fewest characters of prose that is asked about."""
_PER_QUESTION = 80
"""Most tokens of an answer for each question."""


@dataclass(frozen=True, slots=True)
class AskedPlace:
    """The chunks of one table or section. Key: inquiry.key."""

    chunks: tuple[Chunk, ...]
    """The chunks that the model is shown, in order."""
    wanted: int
    """Number of questions to ask for."""

    def inquiry(self, model: str) -> Inquiry:
        """Return the request."""
        first = self.chunks[0]
        content = {
            "headings": list(first.heading_path),
            "caption": first.caption or "",
            "wanted": self.wanted,
            "passages": [
                {"passage": number, "text": _shown(chunk)} for number, chunk in enumerate(self.chunks, start=1)
            ],
        }
        told = json.dumps(content, ensure_ascii=False)
        messages = (("system", prompt_words(__package__, PROMPT_FILE)), ("user", told))
        request = ChatRequest(model, messages, 64 + _PER_QUESTION * self.wanted, form=ModelQuestions)
        return Inquiry(sha256(told.encode()).hexdigest(), request)


def places_of(chunks: Iterable[Chunk], per_place: int) -> tuple[AskedPlace, ...]:
    """Return every table and section in the order of the book; a long one is represented by evenly spaced passages."""
    together: dict[tuple[object, ...], list[Chunk]] = {}
    for chunk in sorted(chunks, key=lambda chunk: (chunk.book, chunk.document, chunk.position)):
        if chunk.kind != "prose" or len(chunk.text) >= LEAST:
            place_key = (chunk.book, chunk.document, chunk.heading_path, chunk.table_id)
            together.setdefault(place_key, []).append(chunk)
    return tuple(AskedPlace(_spread(members), min(per_place, len(members))) for members in together.values())


def prompt_version() -> str:
    """Return the number of the prompt, and a hash of its words and of the form."""
    return f"questions-{versioned(__package__, PROMPT_FILE, ModelQuestions)}"


def _spread(chunks: list[Chunk]) -> tuple[Chunk, ...]:
    if len(chunks) <= MOST_PASSAGES:
        return tuple(chunks)
    return tuple(chunks[number * len(chunks) // MOST_PASSAGES] for number in range(MOST_PASSAGES))


def _shown(chunk: Chunk) -> str:
    if not chunk.cells:
        return chunk.text[:LONGEST]
    cells = zip(chunk.columns, chunk.cells, strict=True)
    return "; ".join(f"{column}: {cell}" if column else cell for column, cell in cells if cell)[:LONGEST]


KIND, TAG = "generated-by-model", "by-model"
_LONGEST = 300
"""Most characters of a question."""
_NUMBER = re.compile(r"\d+")
_TALKS_OF_ITSELF = re.compile(r"\b(?:this|the|which) (?:table|row|passage|column|section)s?\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Disbelieved:
    """A rejected question, and the reason."""

    question: str
    why: str


def believed(given: ModelQuestion, asked_place: AskedPlace, snapshot: Snapshot) -> tuple[Chunk, Question] | Disbelieved:
    """Return a model's question as one with gold, with the chunk that answers it, or the reason for its rejection."""
    text = " ".join(given.question.split())
    if not 1 <= given.passage <= len(asked_place.chunks):
        return Disbelieved(text, f"there is no passage {given.passage}")
    chunk = asked_place.chunks[given.passage - 1]
    why = next(_against(text, chunk, snapshot), "")
    if why:
        return Disbelieved(text, why)
    name = f"{chunk.book}-{TAG}-{sha256(text.encode()).hexdigest()[:10]}"
    return chunk, Question(name, text, chunk.book, KIND, (Anchor.of(chunk),), tags=(GENERATED, TAG))


def _against(text: str, chunk: Chunk, snapshot: Snapshot) -> Iterator[str]:
    if not text or len(text) > _LONGEST:
        yield f"it has {len(text)} characters"
        return
    known = " ".join((chunk.search_text, chunk.text, chunk.caption or "", *chunk.heading_path, *chunk.columns))
    if foreign := sorted(set(_NUMBER.findall(text)) - set(_NUMBER.findall(known))):
        yield f"it says {', '.join(foreign)}, which its passage does not"
    if _TALKS_OF_ITSELF.search(text):
        yield "it is about the place, not about its content"
    if _names_another_row(text, chunk, snapshot):
        yield "it names another row of the table and not its own"


def _names_another_row(text: str, chunk: Chunk, snapshot: Snapshot) -> bool:
    """Whether the row is excluded because a rival is named. The conditions of matrices are not checked, because the
    questions are used to judge them."""
    return only_conditional(chunk.query_must) and not satisfies_query_must(
        snapshot.canonical_of(text), chunk.query_must
    )


@dataclass(frozen=True, slots=True)
class WrittenQuestions:
    """The questions that a model wrote."""

    documents: tuple[DocumentQuestions, ...]
    disbelieved: tuple[Disbelieved, ...]
    left: tuple[str, ...]
    """The reasons why places have no answer, a clause for each."""
    bill: Bill

    @property
    def n_questions(self) -> int:
        """Number of questions about all documents."""
        return sum(len(document.questions) for document in self.documents)


IS_USABLE = in_form(ModelQuestions)
"""Returns whether an answer is complete and in the form."""


def ask_about(places: Sequence[AskedPlace], snapshot: Snapshot, inquiries: Inquiries) -> WrittenQuestions:
    """Return questions about places, by document. A question that two places share is dropped.

    Raises:
        ModelKeyError: a request is needed and there is no key, or the server refuses it.
    """
    replies = inquiries.ask([asked_place.inquiry(inquiries.model) for asked_place in places], IS_USABLE)
    written: list[tuple[Chunk, Question]] = []
    against: list[Disbelieved] = []
    left: list[str] = []
    for asked_place, reply in zip(places, replies, strict=True):
        answer = reply.answered.read_as(ModelQuestions) if reply.answered else reply.why
        if isinstance(answer, str):
            left.append(reply.why or answer)
            continue
        for given in answer.questions:
            made = believed(given, asked_place, snapshot)
            if isinstance(made, Disbelieved):
                against.append(made)
            else:
                written.append(made)
    documents, twice = by_document(written)
    against += [Disbelieved(question.query, "two places got it") for question in twice]
    return WrittenQuestions(documents, tuple(against), tuple(left), inquiries.bill)
