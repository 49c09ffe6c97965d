"""Iterative filtering over Chroma collections of other programs.

The metadata of a collection contain `query_must` as JSON text; `title`, `id` and `is_noisy` are read too if present.
"""

import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from itertools import chain
from pathlib import Path
from typing import Any

from retrieval.clock import Stopwatch
from retrieval.errors import EmbedderMismatchError, InvalidQueryError, UnknownNameError
from retrieval.index.chroma import (
    CHROMA_FOLDER,
    CollectionClient,
    QueryableCollection,
    collection_named,
    open_chroma,
)
from retrieval.index.embedding.embedders import load_embedder
from retrieval.language.canonical import Canonical
from retrieval.language.vocabulary import Vocabulary
from retrieval.query_must.refusal import refusal
from retrieval.search.iterative import IterativeOutcome, Neighbour, iterate
from retrieval.search.query import Query
from retrieval.search.receipt import debug_lines
from retrieval.strategy import DEFAULT_K
from retrieval.types import Embedder


@dataclass(frozen=True, slots=True)
class Source:
    """One collection, or a part of it whose distances are weighted differently."""

    collection: QueryableCollection
    label: str
    """Distinguishes it from the other collections."""
    vector: list[float]
    id_key: str
    where: Mapping[str, Any] | None
    weight: float

    def unseen(self, wanted: int, seen: Sequence[Neighbour]) -> list[Neighbour]:
        """Return the nearest candidates not seen before, at their weighted distance."""
        own = {candidate.id for candidate in seen if candidate.collection == self.label}
        copies = {_identity(candidate) for candidate in seen}
        # So many may be copies of candidates from other collections.
        wanted += len(seen) - len(own)
        unseen = {self.id_key: {"$nin": sorted(own)}} if own else None
        answer = self._query(wanted, _both(self.where, unseen))
        if any(candidate.id in own for candidate in answer):
            answer = self._query(wanted + len(own), self.where)
        return [
            replace(candidate, distance=candidate.distance / self.weight)
            for candidate in answer
            if candidate.id not in own and _identity(candidate) not in copies
        ]

    def _query(self, wanted: int, where: Mapping[str, Any] | None) -> list[Neighbour]:
        query = {"query_embeddings": [self.vector], "n_results": wanted, "where": where}
        try:
            answer = self.collection.query(**query, include=["metadatas", "documents", "distances"])
        except Exception as error:
            if "dimension" not in str(error).lower():
                raise
            raise EmbedderMismatchError(
                f"collection {self.label!r} rejected a vector of {len(self.vector)} dimensions ({error}); search "
                "with the embedder that filled it"
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
    """Return the sources of the nearest candidates of these collections, which are given by label."""
    return [
        Source(collection, label, list(vector), id_key, condition, weight)
        for label, collection in collections.items()
        for condition, weight in _parts(where, noisy_weight)
    ]


def merged(answers: Iterable[Sequence[Neighbour]]) -> list[Neighbour]:
    """Return candidates by distance, then id; of copies the nearest, and of equally near ones that of the first
    collection."""
    nearest: dict[tuple[object, ...], Neighbour] = {}
    for candidate in sorted(chain.from_iterable(answers), key=lambda candidate: (candidate.distance, candidate.id)):
        nearest.setdefault(_identity(candidate), candidate)
    return list(nearest.values())


def _identity(candidate: Neighbour) -> tuple[object, ...]:
    """Return what identifies copies of one chunk. An id alone is not enough: many collections count from 1."""
    return candidate.id, candidate.title, candidate.document, candidate.query_must


def _parts(where: Mapping[str, Any] | None, noisy_weight: float) -> list[tuple[Mapping[str, Any] | None, float]]:
    if noisy_weight == 1.0:
        return [(where, 1.0)]
    # A chunk without the key passes `$ne`.
    return [(_both(where, {"is_noisy": {"$ne": True}}), 1.0), (_both(where, {"is_noisy": True}), noisy_weight)]


def _both(one: Mapping[str, Any] | None, other: Mapping[str, Any] | None) -> Mapping[str, Any] | None:
    return {"$and": [one, other]} if one and other else one or other


Asked = str | QueryableCollection
"""A collection by its name, or the collection itself."""


def retrieve_with_iterative_filtering(
    query: str,
    collection_name: Asked | Sequence[Asked],
    k: int = DEFAULT_K,
    max_iterations: int = 3,
    debug: bool = False,
    *,
    client: CollectionClient | str | Path = CHROMA_FOLDER,
    embedder: Embedder | None = None,
    id_key: str = "id",
    vocabulary: Vocabulary | Mapping[str, Vocabulary] | None = None,
    where: Mapping[str, Any] | None = None,
    noisy_weight: float = 1.0,
) -> IterativeOutcome:
    """Search foreign collections whose metadata contain `query_must` as a JSON string.

    Args:
        query: the question.
        collection_name: a collection's name, a Chroma collection, or anything with its `name` and `query`; or several
            with one embedder, whose answers are merged by distance, then id. Chunks with equal id, title, document and
            predicate are one chunk; the same id with different content is another.
        k: how many chunks to return.
        max_iterations: the most rounds.
        debug: whether to print the `debug_lines` of the outcome.
        client: where names are looked up: a Chroma client, the folder of Chroma's files, or the address of a server.
        embedder: the model that made the collections' vectors; the default one when None.
        id_key: metadata key that repeats a record's id, for `$nin`. If it is missing, more chunks are requested from
            the collection instead, and those seen before are dropped.
        vocabulary: for the canonical form: one for all, or one for each collection by its name; if none is given, the
            generic one.
        where: a Chroma filter on metadata, which applies in addition to the predicates.
        noisy_weight: above 0; below 1, chunks whose metadata have `is_noisy` rank lower: their distance is divided by
            it, so that fewer rounds are spent on near-twins.

    Raises:
        InvalidQueryError: the question is empty or too long, or a number is not valid.
        UnknownNameError: no collection has that name, or a vocabulary is for none of the collections.
        IndexMissingError: there is no Chroma at that location.
        EmbedderMismatchError: a collection contains vectors of another dimension.
    """
    _check(k, max_iterations, noisy_weight)
    watch = Stopwatch()
    with ExitStack() as open_until_the_end:
        with watch.stage("collections"):
            collections = open_until_the_end.enter_context(_opened(collection_name, client))
        with watch.stage("canonical"):
            questions = _questions(query, collections, vocabulary)
        with watch.stage("embed"):
            vector = [float(number) for number in (embedder or load_embedder()).embed_query(query)]
        sources = sources_of(collections, vector, id_key, where, noisy_weight)

        def ask(wanted: int, seen: Sequence[Neighbour]) -> list[Neighbour]:
            return merged([source.unseen(wanted, seen) for source in sources])[:wanted]

        def read(neighbour: Neighbour) -> Canonical:
            return questions[neighbour.collection or ""].canonical

        def say(neighbour: Neighbour) -> str:
            return refusal(query, read(neighbour), neighbour.query_must)

        with watch.stage("dense"):
            outcome = iterate(ask, read, say, k, max_iterations)
    readings = {label: question.canonical.text.strip() for label, question in questions.items()}
    receipt = replace(
        outcome.receipt,
        canonical=next(iter(readings.values()), ""),
        stages=watch.stages,
        milliseconds=watch.milliseconds,
    )
    outcome = replace(outcome, receipt=receipt, readings=readings)
    if debug:
        sys.stdout.write("\n".join(debug_lines(outcome)) + "\n")
    return outcome


def _check(k: int, max_iterations: int, noisy_weight: float) -> None:
    if not noisy_weight > 0:
        raise InvalidQueryError(f"noisy_weight is {noisy_weight}; a distance is divided by it, so give more than 0")
    for name, number in (("k", k), ("max_iterations", max_iterations)):
        if not isinstance(number, int) or number < 1:
            raise InvalidQueryError(f"{name} is {number!r}; give a whole number, at least 1")


@contextmanager
def _opened(
    collections: Asked | Sequence[Asked], client: CollectionClient | str | Path
) -> Iterator[Mapping[str, QueryableCollection]]:
    """Yield the collections by label; those opened by name are closed after the block."""
    references = (
        [collections] if isinstance(collections, str) or not isinstance(collections, Sequence) else list(collections)
    )
    if not references:
        raise InvalidQueryError("no collection is named; name at least one")
    if not any(isinstance(reference, str) for reference in references):
        yield _labelled(references, _unnamed)
    elif isinstance(client, str | Path):
        with open_chroma(client) as opened:
            yield _labelled(references, lambda name: collection_named(opened, name))
    else:
        yield _labelled(references, lambda name: collection_named(client, name))


def _unnamed(name: str) -> QueryableCollection:
    raise UnknownNameError("collection", name, ())


def _labelled(
    references: Sequence[Asked], named: Callable[[str], QueryableCollection]
) -> Mapping[str, QueryableCollection]:
    labelled: dict[str, QueryableCollection] = {}
    for reference in references:
        collection = named(reference) if isinstance(reference, str) else reference
        labelled[_free(collection.name, labelled)] = collection
    return labelled


def _free(name: str, taken: Mapping[str, object]) -> str:
    """Return a free name: collections of two clients may have the same name."""
    number = 2
    free = name
    while free in taken:
        free, number = f"{name} ({number})", number + 1
    return free


def _questions(
    query: str,
    collections: Mapping[str, QueryableCollection],
    vocabulary: Vocabulary | Mapping[str, Vocabulary] | None,
) -> Mapping[str, Query]:
    """Return the question as the vocabulary of each collection reads it."""
    if not isinstance(vocabulary, Mapping):
        return dict.fromkeys(collections, Query.ask(query, vocabulary))
    names = {collection.name for collection in collections.values()}
    for name in vocabulary:
        if name not in names:
            raise UnknownNameError("collection", name, names)
    return {label: Query.ask(query, vocabulary.get(collection.name)) for label, collection in collections.items()}
