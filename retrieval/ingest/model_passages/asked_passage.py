"""One passage as a request to a model, and which passages are sent at all."""

import json
from dataclasses import dataclass
from hashlib import sha256
from typing import Literal

from retrieval.ingest.model_passages.form import ModelPassage
from retrieval.ingest.prose.enrichment import RULESET, known_words, traits_in
from retrieval.models.chat import Asked
from retrieval.models.inquiry import Inquiry
from retrieval.models.prompts import prompt_words, versioned
from retrieval.types import Chunk

PROMPT_FILE = "prompt_v1.txt"
LEAST, MOST = 80, 24_000
"""Characters of a passage of which something can be said, and bytes of one that is sent whole."""
_ANSWERED = 256
"""Tokens of an answer."""

Unsent = Literal["too short", "too long"]


@dataclass(frozen=True, slots=True)
class AskedPassage:
    """A chunk of prose and the words that may be said of it. Key: chunk.id."""

    chunk: Chunk
    kinds: tuple[str, ...]
    tags: tuple[str, ...]
    traits: tuple[str, ...]
    """Those that stand in it: a book writes a trait where it gives it."""

    @classmethod
    def of(cls, chunk: Chunk) -> "AskedPassage":
        """A chunk with its metadata. Tags are subjects of games, so only a book with a ruleset has them."""
        known = known_words()
        tags = known.tags if RULESET in chunk.metadata else ()
        return cls(chunk, known.kinds, tags, traits_in("\n".join((*chunk.heading_path, chunk.text))))

    def inquiry(self, model: str) -> Inquiry:
        """The request. What is sent decides under which name its answer is kept: text, headings and choices."""
        said = {
            "headings": list(self.chunk.heading_path),
            "text": self.chunk.text,
            "kinds": list(self.kinds),
            "tags": list(self.tags),
            "traits": list(self.traits),
        }
        told = json.dumps(said, ensure_ascii=False)
        messages = (("system", prompt_words(__package__, PROMPT_FILE)), ("user", told))
        return Inquiry(sha256(told.encode()).hexdigest(), Asked(model, messages, _ANSWERED, form=ModelPassage))


def why_unsent(chunk: Chunk) -> Unsent | None:
    """Why a passage is not sent; None if it is."""
    if len(chunk.text) < LEAST:
        return "too short"
    return "too long" if len(chunk.text.encode()) > MOST else None


def passages_prompt_version() -> str:
    """The number of the prompt, and a hash of its words and of the form."""
    return f"passages-{versioned(__package__, PROMPT_FILE, ModelPassage)}"
