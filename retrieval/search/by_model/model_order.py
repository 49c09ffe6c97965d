"""Orders the first hits with a chat model or a cross-encoder."""

import json
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from math import inf, nextafter
from typing import Any

import numpy as np
from pydantic import BaseModel, ConfigDict

from retrieval.clock import Clock
from retrieval.errors import ModelError
from retrieval.index.embedding.sentence_model import loaded
from retrieval.models.access import Access
from retrieval.models.chat import ChatRequest, Usage, prompt_words
from retrieval.models.openai_client import OpenAiClient
from retrieval.models.spending import chat_price
from retrieval.strategy import ModelOrder
from retrieval.types import Addend, Chunk, Hit, Ordering, Receipt, Retrieval, Stage

_LONGEST = 1200
"""Characters of a passage that the model is shown."""
_RETRIES, _SECONDS = 1, 30.0
"""Low, because a question waits for the answer."""


class PassageOrder(BaseModel):
    """What the model answers."""

    model_config = ConfigDict(extra="forbid")
    order: list[int]


@dataclass(frozen=True, slots=True)
class Ordered:
    """The positions of passages, best first, and the usage of the model."""

    places: tuple[int, ...]
    """The previous 0-based position of each. Empty: there is no valid order."""
    why_not: str = ""
    usage: Usage = field(default_factory=Usage)


def chat_order(access: Access, model: str, question: str, chunks: Sequence[Chunk]) -> Ordered:
    """Return passages in the order of a chat model.

    Raises:
        ModelError: there is no key, or the server cannot be reached or refuses.
    """
    access.require(model, "use the strategy default")
    answered = _client(access).chat(_request(model, question, chunks))
    usage, read = answered.usage, answered.read_as(PassageOrder)
    if isinstance(read, str):
        return Ordered((), read, usage)
    order = read.order
    if sorted(order) != list(range(1, len(chunks) + 1)):
        return Ordered((), "its answer does not list every passage once", usage)
    return Ordered(tuple(number - 1 for number in order), usage=usage)


def _request(model: str, question: str, chunks: Sequence[Chunk]) -> ChatRequest:
    passages = [
        {"passage": number, "title": chunk.title, "text": chunk.search_text[:_LONGEST]}
        for number, chunk in enumerate(chunks, start=1)
    ]
    told = json.dumps({"question": question, "passages": passages}, ensure_ascii=False)
    return ChatRequest(
        model,
        (("system", prompt_words(__package__, "prompt_v1.txt")), ("user", told)),
        32 + 8 * len(chunks),
        form=PassageOrder,
    )


@lru_cache(maxsize=4)
def _client(access: Access) -> OpenAiClient:
    return OpenAiClient(access, retries=_RETRIES, timeout=_SECONDS)


_BATCH = 32


def cross_encoded(model: str, question: str, chunks: Sequence[Chunk]) -> list[float]:
    """Return how well each passage answers, in the model's own unit.

    Raises:
        ModelError: the library or the model is not on this machine.
    """
    pairs = [(question, chunk.search_text) for chunk in chunks]
    scores = _encoder(model).predict(pairs, batch_size=_BATCH, convert_to_numpy=True, show_progress_bar=False)
    flat_scores: list[float] = np.asarray(scores, dtype=np.float64).reshape(len(chunks)).tolist()
    return flat_scores


@lru_cache(maxsize=2)
def _encoder(model: str) -> Any:
    return loaded("CrossEncoder", model)


STAGE = "order"


def in_order(retrieval: Retrieval, order: ModelOrder, k: int, name: str) -> Retrieval:
    """Return the k best of a search, the first of them in a model's order.

    Args:
        retrieval: the search, with at least k hits if there are so many, or as many as the model is shown.
        order: the model, and the number of hits that it is shown.

    Raises:
        ModelError: the model cannot be called or its answer is not valid, and `order.must` is set.
    """
    clock, access = Clock(), Access.of_environment()
    shown = retrieval.hits[: order.first]
    ordered, left = Ordered(()), ""
    measured: tuple[float, ...] = ()
    try:
        if order.by == "cross_encoder":
            measured = tuple(cross_encoded(order.model, retrieval.query, [hit.chunk for hit in shown]))
            ordered = Ordered(tuple(sorted(range(len(shown)), key=lambda number: (-measured[number], number))))
        elif shown:
            chunks = [hit.chunk for hit in shown]
            ordered = chat_order(access, order.model, retrieval.query, chunks)
        left = ordered.why_not
    except ModelError as error:
        left = str(error)
    if left and order.must:
        raise ModelError(f"{order.model} did not order the hits: {left}")
    milliseconds = clock.milliseconds
    price = chat_price(order.model) if order.by == "chat" and access.address is None else None
    usd = price.of(ordered.usage) if price else (0.0 if order.by == "cross_encoder" else None)
    ordering = Ordering(
        order.model, len(shown), left, ordered.usage.prompt, ordered.usage.completion, usd, milliseconds
    )
    hits = retrieval.hits if left else _moved(retrieval.hits, ordered.places, order, measured)
    return Retrieval(retrieval.query, name, hits[:k], _receipt(retrieval.receipt, hits[:k], ordering))


def _moved(hits: Sequence[Hit], places: Sequence[int], order: ModelOrder, measured: Sequence[float]) -> tuple[Hit, ...]:
    """Move the hits; each position keeps its score, and each hit gets an addend with the difference to its own."""
    moved = [hits[position] for position in places] + list(hits[len(places) :])
    made: list[Hit] = []
    score = inf
    for rank, (hit, before) in enumerate(zip(moved, hits, strict=True), start=1):
        # Equal scores would be ordered by id if a caller sorted them.
        score = min(before.score, nextafter(score, -inf))
        evidence = hit.evidence
        if measured and rank <= len(places):
            evidence = {**evidence, order.by: measured[places[rank - 1]]}
        addends = (*hit.addends, Addend(order.by, score - hit.score, 1.0))
        made.append(replace(hit, score=score, rank=rank, evidence=evidence, addends=addends))
    return tuple(made)


def _receipt(receipt: Receipt, hits: Sequence[Hit], ordering: Ordering) -> Receipt:
    """Return the receipt of the search with the order; the decisions follow the new order of the hits."""
    decision_of = {decision.chunk_id: decision for decision in receipt.decisions if decision.kept}
    kept = [decision_of[hit.chunk.id] for hit in hits if hit.chunk.id in decision_of]
    return replace(
        receipt,
        decisions=(*kept, *(decision for decision in receipt.decisions if not decision.kept)),
        stages=(*receipt.stages, Stage(STAGE, ordering.milliseconds)),
        milliseconds=receipt.milliseconds + ordering.milliseconds,
        ordering=ordering,
    )
