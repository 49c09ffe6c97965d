"""Foreign collections as the rounds ask them: several are one, and a part of one may stand further back."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from typing import Any

from retrieval.errors import EmbedderMismatchError
from retrieval.index.chroma.foreign import QueryableCollection
from retrieval.search.dense.iterative import Neighbour


@dataclass(frozen=True, slots=True)
class Source:
    """One collection, or a part of it whose distances count differently."""

    collection: QueryableCollection
    label: str
    """Tells it from the other collections that are asked."""
    vector: list[float]
    id_key: str
    where: Mapping[str, Any] | None
    weight: float

    def unseen(self, wanted: int, seen: Sequence[Neighbour]) -> list[Neighbour]:
        """The nearest candidates that were not seen, at their weighted distance."""
        own = {candidate.id for candidate in seen if candidate.collection == self.label}
        copies = {_said(candidate) for candidate in seen}
        # So many may be copies of what other collections gave.
        wanted += len(seen) - len(own)
        unseen = {self.id_key: {"$nin": sorted(own)}} if own else None
        answer = self._query(wanted, _both(self.where, unseen))
        if any(candidate.id in own for candidate in answer):
            answer = self._query(wanted + len(own), self.where)
        return [
            replace(candidate, distance=candidate.distance / self.weight)
            for candidate in answer
            if candidate.id not in own and _said(candidate) not in copies
        ]

    def _query(self, wanted: int, where: Mapping[str, Any] | None) -> list[Neighbour]:
        asked = {"query_embeddings": [self.vector], "n_results": wanted, "where": where}
        try:
            answer = self.collection.query(**asked, include=["metadatas", "documents", "distances"])
        except Exception as error:
            if "dimension" not in str(error).lower():
                raise
            raise EmbedderMismatchError(
                f"collection {self.label!r} refused a vector of {len(self.vector)} dimensions ({error}); "
                "ask with the embedder that filled it"
            ) from error
        lists = (answer[name][0] for name in ("ids", "distances", "metadatas", "documents"))
        return [self._candidate(*fields) for fields in zip(*lists, strict=True)]

    def _candidate(
        self, chunk_id: str, distance: float, metadata: Mapping[str, Any] | None, document: str | None
    ) -> Neighbour:
        known = metadata or {}
        return Neighbour(
            id=chunk_id,
            distance=float(distance),
            title=str(known.get("title", chunk_id)),
            query_must=known.get("query_must"),
            document=document,
            metadata=dict(known),
            collection=self.label,
        )


def sources_of(
    collections: Mapping[str, QueryableCollection],
    vector: Sequence[float],
    id_key: str,
    where: Mapping[str, Any] | None,
    noisy_weight: float,
) -> list[Source]:
    """What to ask for the nearest candidates of these collections, which are given by their labels."""
    return [
        Source(collection, label, list(vector), id_key, condition, weight)
        for label, collection in collections.items()
        for condition, weight in _parts(where, noisy_weight)
    ]


def merged(answers: Iterable[Sequence[Neighbour]]) -> list[Neighbour]:
    """Candidates by distance, then id; of copies the nearest, and of equally near ones that of the first collection."""
    nearest: dict[tuple[object, ...], Neighbour] = {}
    for candidate in sorted(chain.from_iterable(answers), key=lambda candidate: (candidate.distance, candidate.id)):
        nearest.setdefault(_said(candidate), candidate)
    return list(nearest.values())


def _said(candidate: Neighbour) -> tuple[object, ...]:
    """What copies of one chunk share. An id alone may be of other chunks in other collections: many count from 1."""
    return candidate.id, candidate.title, candidate.document, candidate.query_must


def _parts(where: Mapping[str, Any] | None, noisy_weight: float) -> list[tuple[Mapping[str, Any] | None, float]]:
    if noisy_weight == 1.0:
        return [(where, 1.0)]
    # A chunk without the key passes `$ne`.
    return [(_both(where, {"is_noisy": {"$ne": True}}), 1.0), (_both(where, {"is_noisy": True}), noisy_weight)]


def _both(one: Mapping[str, Any] | None, other: Mapping[str, Any] | None) -> Mapping[str, Any] | None:
    return {"$and": [one, other]} if one and other else one or other
