"""Which of a model's questions are believed: those whose label can be right."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from hashlib import sha256

from evals.asked_by_model.form import ModelQuestion
from evals.asked_by_model.place import AskedPlace
from evals.questions.anchors import Anchor
from evals.questions.questions import GENERATED, Question
from retrieval.index.snapshot.snapshot import Snapshot
from retrieval.query_must.conditional import only_conditional
from retrieval.query_must.predicate import satisfies_query_must
from retrieval.types import Chunk

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


def believed(given: ModelQuestion, place: AskedPlace, snapshot: Snapshot) -> tuple[Chunk, Question] | Disbelieved:
    """A question with the chunk that answers it, as a question with gold."""
    text = " ".join(given.question.split())
    if not 1 <= given.passage <= len(place.chunks):
        return Disbelieved(text, f"there is no passage {given.passage}")
    chunk = place.chunks[given.passage - 1]
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
    return only_conditional(chunk.query_must) and not satisfies_query_must(snapshot.asked(text), chunk.query_must)
