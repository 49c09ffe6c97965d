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
"""Passages of a request; characters of one that are shown; characters of prose that something can be asked about."""
_PER_QUESTION = 80
"""Tokens of an answer."""


@dataclass(frozen=True, slots=True)
class AskedPlace:
    """Chunks that stand together. Key: inquiry.key."""

    chunks: tuple[Chunk, ...]
    """What the model is shown, in its order."""
    wanted: int
    """Questions."""

    def inquiry(self, model: str) -> Inquiry:
        """The request."""
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
    """Every table and every section, in the order of the book; of a long one passages from its beginning to its end."""
    together: dict[tuple[object, ...], list[Chunk]] = {}
    for chunk in sorted(chunks, key=lambda chunk: (chunk.book, chunk.document, chunk.position)):
        if chunk.kind != "prose" or len(chunk.text) >= LEAST:
            place_key = (chunk.book, chunk.document, chunk.heading_path, chunk.table_id)
            together.setdefault(place_key, []).append(chunk)
    return tuple(AskedPlace(_spread(members), min(per_place, len(members))) for members in together.values())


def prompt_version() -> str:
    """The number of the prompt, and a hash of its words and of the form."""
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
"""Characters of a question."""
_NUMBER = re.compile(r"\d+")
_TALKS_OF_ITSELF = re.compile(r"\b(?:this|the|which) (?:table|row|passage|column|section)s?\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Disbelieved:
    """A question that is not used, and why."""

    question: str
    why: str


def believed(given: ModelQuestion, asked_place: AskedPlace, snapshot: Snapshot) -> tuple[Chunk, Question] | Disbelieved:
    """A question with the chunk that answers it, as a question with gold."""
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
        yield "it talks of the place and not of what is asked"
    if _names_another_row(text, chunk, snapshot):
        yield "it names another row of the table and not its own"


def _names_another_row(text: str, chunk: Chunk, snapshot: Snapshot) -> bool:
    """Whether the row keeps itself out because a rival is named; what a matrix asks of its words is not asked here:
    questions are there to judge that."""
    return only_conditional(chunk.query_must) and not satisfies_query_must(
        snapshot.canonical_of(text), chunk.query_must
    )


@dataclass(frozen=True, slots=True)
class WrittenQuestions:
    """What a model wrote."""

    documents: tuple[DocumentQuestions, ...]
    disbelieved: tuple[Disbelieved, ...]
    left: tuple[str, ...]
    """Why places have no answer, a clause for each."""
    bill: Bill

    @property
    def n_questions(self) -> int:
        """Of all documents."""
        return sum(len(document.questions) for document in self.documents)


IS_USABLE = in_form(ModelQuestions)
"""Whether an answer is whole and in the form."""


def ask_about(places: Sequence[AskedPlace], snapshot: Snapshot, inquiries: Inquiries) -> WrittenQuestions:
    """Questions about places, by document. A question that two places got is nobody's.

    Raises:
        ModelKeyError: there is no key and not every place was answered before, or the server refuses it.
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
