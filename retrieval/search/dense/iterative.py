"""The published algorithm: ask, filter, ask again for what was not seen yet, at most three times.

Repaired in one place: it excludes everything that it has seen, not only what it discarded; otherwise kept chunks come
back and are counted twice. It works on any collection that somebody else filled. The compiled filter of
`filtering` is faster and never runs out of rounds; this stays for comparison and for foreign collections.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain
from typing import Any, Protocol

from retrieval.errors import InvalidQueryError
from retrieval.query_must.canonical.canonical import Canonical
from retrieval.query_must.predicate import UNRESTRICTED, explain, satisfies_query_must
from retrieval.query_must.vocabulary.vocabulary import Vocabulary
from retrieval.search.query import Query
from retrieval.strategy import DEFAULT_K
from retrieval.types import Decision, Embedder


@dataclass(frozen=True, slots=True)
class Neighbour:
    """A chunk as a collection returned it. Key: id."""

    id: str
    distance: float
    title: str
    query_must: str | None = None
    document: str | None = None
    metadata: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class IterativeOutcome:
    """What the rounds kept, nearest first, and every decision on the way."""

    kept: tuple[Neighbour, ...]
    decisions: tuple[Decision, ...]
    rounds: int
    excluded: int


class QueryableCollection(Protocol):
    """What is needed of a collection; Chroma's has it."""

    def query(self, *args: Any, **kwargs: Any) -> Mapping[str, Any]:
        """Nearest records to `query_embeddings`: `ids`, `distances`, `metadatas`, `documents`, one list a question."""


Ask = Callable[[int, frozenset[str]], Sequence[Neighbour]]
"""(k, ids seen) -> the k nearest candidates that were not seen."""


def iterate(ask: Ask, question: Canonical, k: int, max_iterations: int) -> IterativeOutcome:
    """Ask in rounds until k candidates satisfy their query_must, nothing is left, or the rounds are used up.

    Args:
        ask: gives the nearest candidates that were not seen yet.
        question: the question in canonical form.
        k: how many to keep; also how many each round asks for.
        max_iterations: rounds at most.
    """
    seen: set[str] = set()
    kept: list[Neighbour] = []
    decisions: list[Decision] = []
    rounds = 0
    while rounds < max_iterations and len(kept) < k:
        answer = ask(k, frozenset(seen))
        if not answer:
            break
        rounds += 1
        for candidate in answer:
            decision = _decide(candidate, question, rounds)
            decisions.append(decision)
            if decision.kept:
                kept.append(candidate)
        seen.update(candidate.id for candidate in answer)
        if len(answer) < k:
            break
    kept.sort(key=lambda candidate: (candidate.distance, candidate.id))
    excluded = sum(not decision.kept for decision in decisions)
    return IterativeOutcome(tuple(kept[:k]), tuple(decisions), max(rounds, 1), excluded)


def retrieve_with_iterative_filtering(
    query: str,
    collection: QueryableCollection | Sequence[QueryableCollection],
    k: int = DEFAULT_K,
    max_iterations: int = 3,
    *,
    embedder: Embedder,
    id_key: str = "id",
    vocabulary: Vocabulary | None = None,
    where: Mapping[str, Any] | None = None,
    noisy_weight: float = 1.0,
) -> IterativeOutcome:
    """Search foreign collections whose metadata hold `query_must` as a JSON string.

    Args:
        query: the question.
        collection: a Chroma collection, or anything with its `query`; or several of one embedder, whose answers are
            merged by distance, then id. An id that two of them have is one chunk, the nearer one.
        k: how many chunks to return.
        max_iterations: how often to ask at most.
        embedder: the model that made the collection's vectors.
        id_key: metadata key that repeats a record's id, for `$nin`. Where it is missing the collection is asked for
            more instead, and what was seen is dropped.
        vocabulary: for the canonical form; the generic one when None.
        where: Chroma's filter on metadata, which holds beside the predicates.
        noisy_weight: above 0; below 1, chunks whose metadata say `is_noisy` are put back: their distance is divided by
            it, so that fewer rounds go to near-twins.

    Raises:
        InvalidQueryError: the question is empty or too long, or `noisy_weight` is not above 0.
    """
    if not noisy_weight > 0:
        raise InvalidQueryError(f"noisy_weight is {noisy_weight}; a distance is divided by it, so give more than 0")
    question = Query.ask(query, vocabulary)
    vector = [float(number) for number in embedder.embed_query(query)]

    collections = collection if isinstance(collection, Sequence) else [collection]
    sources = [_Source(each, vector, id_key, *part) for each in collections for part in _parts(where, noisy_weight)]

    def ask(wanted: int, seen: frozenset[str]) -> list[Neighbour]:
        return merged([source.unseen(wanted, seen) for source in sources])[:wanted]

    return iterate(ask, question.canonical, k, max_iterations)


def merged(answers: Iterable[Sequence[Neighbour]]) -> list[Neighbour]:
    """Candidates by distance, then id; of one id the nearest."""
    nearest: dict[str, Neighbour] = {}
    for candidate in sorted(chain.from_iterable(answers), key=lambda candidate: (candidate.distance, candidate.id)):
        nearest.setdefault(candidate.id, candidate)
    return list(nearest.values())


@dataclass(frozen=True, slots=True)
class _Source:
    """One collection, or a part of it whose distances count differently."""

    collection: QueryableCollection
    vector: list[float]
    id_key: str
    where: Mapping[str, Any] | None
    weight: float

    def unseen(self, wanted: int, seen: frozenset[str]) -> list[Neighbour]:
        """The nearest candidates that were not seen, at their weighted distance."""
        unseen = {self.id_key: {"$nin": sorted(seen)}} if seen else None
        answer = _query(self.collection, self.vector, wanted, _both(self.where, unseen))
        if any(candidate.id in seen for candidate in answer):
            answer = _query(self.collection, self.vector, wanted + len(seen), self.where)
        return [
            replace(candidate, distance=candidate.distance / self.weight)
            for candidate in answer
            if candidate.id not in seen
        ][:wanted]


def _parts(where: Mapping[str, Any] | None, noisy_weight: float) -> list[tuple[Mapping[str, Any] | None, float]]:
    if noisy_weight == 1.0:
        return [(where, 1.0)]
    # A chunk without the key passes `$ne`.
    return [(_both(where, {"is_noisy": {"$ne": True}}), 1.0), (_both(where, {"is_noisy": True}), noisy_weight)]


def _both(one: Mapping[str, Any] | None, other: Mapping[str, Any] | None) -> Mapping[str, Any] | None:
    return {"$and": [one, other]} if one and other else one or other


def _query(
    collection: QueryableCollection, vector: list[float], wanted: int, where: Mapping[str, Any] | None
) -> list[Neighbour]:
    answer = collection.query(
        query_embeddings=[vector], n_results=wanted, where=where, include=["metadatas", "documents", "distances"]
    )
    lists = (answer[name][0] for name in ("ids", "distances", "metadatas", "documents"))
    return [_candidate(*fields) for fields in zip(*lists, strict=True)]


def _candidate(chunk_id: str, distance: float, metadata: Mapping[str, Any] | None, document: str | None) -> Neighbour:
    known = metadata or {}
    predicate = known.get("query_must")
    return Neighbour(chunk_id, float(distance), str(known.get("title", chunk_id)), predicate, document, dict(known))


def _decide(candidate: Neighbour, question: Canonical, round_number: int) -> Decision:
    if candidate.query_must is None:
        return Decision(candidate.id, candidate.title, True, UNRESTRICTED, round_number)
    kept = satisfies_query_must(question, candidate.query_must)
    reason = explain(question, candidate.query_must)
    return Decision(candidate.id, candidate.title, kept, reason, round_number)
