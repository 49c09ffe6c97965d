"""One place of an index as a request to a model: a table, or the text under some headings."""

import json
from collections.abc import Iterable
from dataclasses import dataclass
from hashlib import sha256

from evals.asked_by_model.form import ModelQuestions
from retrieval.models.chat import Asked
from retrieval.models.inquiry import Inquiry
from retrieval.models.prompts import prompt_words, versioned
from retrieval.types import Chunk

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
        said = {
            "headings": list(first.heading_path),
            "caption": first.caption or "",
            "wanted": self.wanted,
            "passages": [
                {"passage": number, "text": _shown(chunk)} for number, chunk in enumerate(self.chunks, start=1)
            ],
        }
        told = json.dumps(said, ensure_ascii=False)
        messages = (("system", prompt_words(__package__, PROMPT_FILE)), ("user", told))
        asked = Asked(model, messages, 64 + _PER_QUESTION * self.wanted, form=ModelQuestions)
        return Inquiry(sha256(told.encode()).hexdigest(), asked)


def places_of(chunks: Iterable[Chunk], per_place: int) -> tuple[AskedPlace, ...]:
    """Every table and every section, in the order of the book; of a long one passages from its beginning to its end."""
    together: dict[tuple[object, ...], list[Chunk]] = {}
    for chunk in sorted(chunks, key=lambda each: (each.book, each.document, each.position)):
        if chunk.kind != "prose" or len(chunk.text) >= LEAST:
            place = (chunk.book, chunk.document, chunk.heading_path, chunk.table_id)
            together.setdefault(place, []).append(chunk)
    return tuple(AskedPlace(_spread(found), min(per_place, len(found))) for found in together.values())


def prompt_version() -> str:
    """The number of the prompt, and a hash of its words and of the form."""
    return f"questions-{versioned(__package__, PROMPT_FILE, ModelQuestions)}"


def _spread(found: list[Chunk]) -> tuple[Chunk, ...]:
    if len(found) <= MOST_PASSAGES:
        return tuple(found)
    return tuple(found[place * len(found) // MOST_PASSAGES] for place in range(MOST_PASSAGES))


def _shown(chunk: Chunk) -> str:
    if not chunk.cells:
        return chunk.text[:LONGEST]
    cells = zip(chunk.columns, chunk.cells, strict=True)
    return "; ".join(f"{column}: {cell}" if column else cell for column, cell in cells if cell)[:LONGEST]
