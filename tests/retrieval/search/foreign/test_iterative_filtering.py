"""The published integration tests of asking again, by their names, against a real Chroma collection.

The published loop forgot what it had kept and counted it twice; the counts here are those of the repaired one.
"""

import json
import math
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import chromadb
import numpy as np
import pytest

from retrieval.search.foreign import retrieve_with_iterative_filtering
from retrieval.search.iterative import IterativeOutcome
from retrieval.types import EmbedderIdentity, Vector

K = 15
QUESTION = "What does a 7th level cleric need to roll to hit AC 6?"
FAILS = json.dumps({"contain_one_of": [["cleric"], ["ac 5", "armor class 5"]]})
HOLDS = json.dumps({"contain_one_of": [["cleric"], ["ac 6", "armor class 6"]]})


class ByPlace:
    """Texts are places on an arc, the question is its beginning: place 0 is nearest, then 1, and so on."""

    identity = EmbedderIdentity("by place", "1", 2)

    def embed_query(self, query: str) -> Vector:
        return self.embed(["-1"])[0]

    def embed(self, texts: Sequence[str]) -> Vector:
        angles = [(int(text) + 1) * 0.01 for text in texts]
        return np.array([(math.cos(angle), math.sin(angle)) for angle in angles], dtype=np.float32)


Fill = Callable[[Sequence[str | None]], chromadb.Collection]


@pytest.fixture(params=["id", None], ids=["ids in metadata", "no ids in metadata"])
def fill(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Fill]:
    """Makes a collection of chunks from near to far, each with its predicate or None."""
    client = chromadb.PersistentClient(str(tmp_path))

    def filled(predicates: Sequence[str | None]) -> chromadb.Collection:
        collection = client.create_collection("rules", embedding_function=None)
        places = [str(number) for number in range(len(predicates))]
        metadata = [
            {"title": f"chunk {position}"}
            | ({"query_must": predicate} if predicate else {})
            | ({"id": name(int(position))} if request.param else {})
            for position, predicate in zip(places, predicates, strict=True)
        ]
        collection.add(
            ids=[name(int(position)) for position in places], embeddings=ByPlace().embed(places), metadatas=metadata
        )
        return collection

    yield filled
    client.close()


def name(place: int) -> str:
    return f"chunk-{place:03}"


def ask(collection: chromadb.Collection, max_iterations: int = 3) -> IterativeOutcome:
    return retrieve_with_iterative_filtering(QUESTION, collection, K, max_iterations, embedder=ByPlace())


def kept(outcome: IterativeOutcome) -> list[str]:
    return [candidate.id for candidate in outcome.kept]


def seen_in_round(outcome: IterativeOutcome, number: int) -> set[str]:
    return {decision.chunk_id for decision in outcome.decisions if decision.round == number}


def test_no_filtering_needed(fill: Fill) -> None:
    outcome = ask(fill([None] * 40))
    assert outcome.rounds == 1
    assert outcome.stopped == "Target k reached"
    assert outcome.excluded == 0
    assert kept(outcome) == [name(number) for number in range(15)]
    assert {decision.reason for decision in outcome.decisions} == {"no restrictions"}


def test_filter_some_chunks(fill: Fill) -> None:
    failing = {1, 4, 5, 9, 14}
    outcome = ask(fill([FAILS if number in failing else None for number in range(40)]))
    assert outcome.rounds == 2
    assert outcome.excluded == 5
    clean = [number for number in range(15) if number not in failing]
    assert kept(outcome) == [name(number) for number in (*clean, *range(15, 20))]
    assert seen_in_round(outcome, 1).isdisjoint(seen_in_round(outcome, 2))


def test_filter_heavy_noise(fill: Fill) -> None:
    outcome = ask(fill([HOLDS if number == 6 else FAILS if number < 15 else None for number in range(40)]))
    assert outcome.rounds == 2
    assert outcome.excluded == 14
    assert kept(outcome) == [name(number) for number in (6, *range(15, 29))]
    reasons = {decision.chunk_id: decision.reason for decision in outcome.decisions}
    assert reasons[name(6)] == "satisfies query_must"
    assert reasons[name(0)] == 'contain_one_of failed group: ["ac 5", "armor class 5"]'


def test_heavy_noise_that_goes_on_takes_a_third_round(fill: Fill) -> None:
    outcome = ask(fill([FAILS if number < 29 else None for number in range(60)]))
    assert outcome.rounds == 3
    assert outcome.excluded == 29
    assert kept(outcome) == [name(number) for number in range(29, 44)]


def test_max_iterations_reached(fill: Fill) -> None:
    outcome = ask(fill([FAILS] * 60))
    assert outcome.rounds == 3
    assert outcome.stopped == "Iteration limit reached"
    assert [(iteration.looked_at, iteration.excluded) for iteration in outcome.iterations] == [(15, 15)] * 3
    assert outcome.excluded == 45
    assert kept(outcome) == []


def test_max_iterations_reached_with_what_was_found(fill: Fill) -> None:
    """The filter first would have found fifteen; asking again cannot see past its last round."""
    collection = fill([None if number in (3, 20) or number >= 30 else FAILS for number in range(60)])
    assert kept(ask(collection, max_iterations=2)) == [name(3), name(20)]
    assert kept(ask(collection, max_iterations=3)) == [name(number) for number in (3, 20, *range(30, 43))]


@pytest.mark.parametrize("size", [30, 22], ids=["the second round takes the last", "the second round is short"])
def test_empty_results(fill: Fill, size: int) -> None:
    outcome = ask(fill([None if number % 5 == 0 else FAILS for number in range(size)]))
    assert outcome.rounds == 2
    assert len(outcome.decisions) == size
    assert kept(outcome) == [name(number) for number in range(0, size, 5)]
    assert outcome.stopped == "No more results"
    # A round that the collection fills to the last chunk does not show that nothing is left: the next one does.
    assert [iteration.looked_at for iteration in outcome.iterations] == ([15, 15, 0] if size == 30 else [15, 7])


def test_fewer_than_asked_for_and_none_excluded_ends_the_rounds(fill: Fill) -> None:
    outcome = ask(fill([None] * 7))
    assert (outcome.rounds, len(outcome.kept), outcome.stopped) == (1, 7, "No exclusions, stopping")


def test_an_empty_collection_gives_nothing(fill: Fill) -> None:
    collection = fill([None])
    collection.delete(ids=[name(0)])
    outcome = ask(collection)
    assert kept(outcome) == []
    assert outcome.decisions == ()
    assert (outcome.rounds, outcome.stopped) == (1, "No more results")
