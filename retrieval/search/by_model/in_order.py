"""The first hits of a search put in order by a model; where it cannot be believed, as they stood."""

from collections.abc import Sequence
from dataclasses import replace
from math import inf, nextafter

from retrieval.clock import Clock
from retrieval.errors import ModelError
from retrieval.models.access import Access
from retrieval.models.chat_prices import chat_price
from retrieval.ordering import Ordering
from retrieval.search.by_model.chat_order import Ordered, chat_order
from retrieval.search.by_model.cross_encoder import cross_encoded
from retrieval.strategy import ModelOrder
from retrieval.types import Addend, Hit, Receipt, Retrieval, Stage

STAGE = "order"


def in_order(found: Retrieval, order: ModelOrder, k: int, name: str, access: Access | None = None) -> Retrieval:
    """The k best of a search, the first of it in a model's order.

    Args:
        found: the search, k hits at least where there are so many, or as many as the model is shown.
        order: which model, and how many it is shown.
        k: how many hits come back.
        name: of the strategy.
        access: to hosted models; None: that of the environment.

    Raises:
        ModelError: the model cannot be asked or believed, and the order must be its own.
    """
    clock = Clock()
    shown = found.hits[: order.first]
    ordered, left = Ordered(()), ""
    measured: tuple[float, ...] = ()
    try:
        if order.by == "cross_encoder":
            measured = tuple(cross_encoded(order.model, found.query, [hit.chunk for hit in shown]))
            ordered = Ordered(tuple(sorted(range(len(shown)), key=lambda place: (-measured[place], place))))
        elif shown:
            ordered = chat_order(
                access or Access.of_environment(), order.model, found.query, [hit.chunk for hit in shown]
            )
        left = ordered.why_not
    except ModelError as error:
        left = str(error)
    if left and order.must:
        raise ModelError(f"{order.model} did not order the hits: {left}")
    milliseconds = clock.milliseconds
    price = chat_price(order.model) if order.by == "chat" else None
    usd = price.of(ordered.usage) if price else (0.0 if order.by == "cross_encoder" else None)
    said = Ordering(order.model, len(shown), left, ordered.usage.prompt, ordered.usage.completion, usd, milliseconds)
    hits = found.hits if left else _moved(found.hits, ordered.places, order, measured)
    return Retrieval(found.query, name, hits[:k], _receipt(found.receipt, hits[:k], said))


def _moved(hits: Sequence[Hit], places: Sequence[int], order: ModelOrder, measured: Sequence[float]) -> tuple[Hit, ...]:
    """Each place keeps its score, and the hit that comes there says what it gained or lost by that."""
    moved = [hits[place] for place in places] + list(hits[len(places) :])
    made: list[Hit] = []
    score = inf
    for rank, (hit, before) in enumerate(zip(moved, hits, strict=True), start=1):
        # Equal scores would be put in the order of their ids by whoever sorts them.
        score = min(before.score, nextafter(score, -inf))
        evidence = hit.evidence
        if measured and rank <= len(places):
            evidence = {**evidence, order.by: measured[places[rank - 1]]}
        addends = (*hit.addends, Addend(order.by, score - hit.score, 1.0))
        made.append(replace(hit, score=score, rank=rank, evidence=evidence, addends=addends))
    return tuple(made)


def _receipt(receipt: Receipt, hits: Sequence[Hit], ordering: Ordering) -> Receipt:
    """The receipt of the search with the order; what is said of a hit stands where the hit stands."""
    said = {each.chunk_id: each for each in receipt.decisions if each.kept}
    kept = [said[hit.chunk.id] for hit in hits if hit.chunk.id in said]
    return replace(
        receipt,
        decisions=(*kept, *(each for each in receipt.decisions if not each.kept)),
        stages=(*receipt.stages, Stage(STAGE, ordering.milliseconds)),
        milliseconds=receipt.milliseconds + ordering.milliseconds,
        ordering=ordering,
    )
