"""The order of a chat model, which answers in a form and is believed only if every passage is there once."""

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import lru_cache

from pydantic import BaseModel, ConfigDict

from retrieval.models.access import Access
from retrieval.models.chat import Asked, Usage
from retrieval.models.openai_client import OpenAiClient
from retrieval.models.prompts import prompt_words
from retrieval.types import Chunk

_LONGEST = 1200
"""Characters of a passage that are shown."""
_RETRIES, _SECONDS = 1, 30.0
"""A question waits for it."""


class PassageOrder(BaseModel):
    """What the model answers."""

    model_config = ConfigDict(extra="forbid")
    order: list[int]


@dataclass(frozen=True, slots=True)
class Ordered:
    """The places of passages, best first, and what was used to find them."""

    places: tuple[int, ...]
    """Where each stood, from 0. Empty: there is no order to believe."""
    why_not: str = ""
    usage: Usage = field(default_factory=Usage)


def chat_order(access: Access, model: str, question: str, chunks: Sequence[Chunk]) -> Ordered:
    """Passages in the order of a chat model.

    Raises:
        ModelError: there is no key, or the server cannot be reached or refuses.
    """
    access.require(model, "take the strategy default")
    answered = _client(access).chat(_asked(model, question, chunks))
    usage, read = answered.usage, answered.read_as(PassageOrder)
    if isinstance(read, str):
        return Ordered((), read, usage)
    order = read.order
    if sorted(order) != list(range(1, len(chunks) + 1)):
        return Ordered((), "its answer does not have every passage once", usage)
    return Ordered(tuple(number - 1 for number in order), usage=usage)


def _asked(model: str, question: str, chunks: Sequence[Chunk]) -> Asked:
    passages = [
        {"passage": number, "title": chunk.title, "text": chunk.search_text[:_LONGEST]}
        for number, chunk in enumerate(chunks, start=1)
    ]
    told = json.dumps({"question": question, "passages": passages}, ensure_ascii=False)
    return Asked(
        model,
        (("system", prompt_words(__package__, "prompt_v1.txt")), ("user", told)),
        32 + 8 * len(chunks),
        form=PassageOrder,
    )


@lru_cache(maxsize=4)
def _client(access: Access) -> OpenAiClient:
    return OpenAiClient(access, retries=_RETRIES, timeout=_SECONDS)
