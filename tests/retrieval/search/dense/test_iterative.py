import json
from pathlib import Path

import chromadb
import pytest

from retrieval.errors import InvalidQueryError
from retrieval.search.dense.iterative import retrieve_with_iterative_filtering

from ..conftest import ToyEmbedder, make_library


@pytest.fixture(scope="module", params=["id", None], ids=["with id metadata", "without"])
def foreign(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory):
    """A collection that somebody else filled, with Chroma's own defaults."""
    client = chromadb.PersistentClient(str(tmp_path_factory.mktemp("foreign")))
    collection = client.create_collection("rules", embedding_function=None)
    library = make_library()
    metadata = [
        {"title": chunk.title}
        | ({"query_must": chunk.query_must} if chunk.query_must else {})
        | ({"id": chunk.id} if request.param else {})
        for chunk in library
    ]
    texts = [chunk.search_text for chunk in library]
    collection.add(
        ids=[chunk.id for chunk in library], embeddings=ToyEmbedder().embed(texts), metadatas=metadata, documents=texts
    )
    yield collection
    client.close()


def ask(collection, question: str, k: int = 15, rounds: int = 3):
    return retrieve_with_iterative_filtering(question, collection, k, rounds, embedder=ToyEmbedder())


def test_only_chunks_that_the_question_satisfies_are_kept_nearest_first(foreign) -> None:
    outcome = ask(foreign, "attack matrix for clerics, opponent armor class 6, level 1")
    guarded = [candidate.id for candidate in outcome.kept if candidate.query_must]
    assert guarded == ["cleric-26"]
    distances = [candidate.distance for candidate in outcome.kept]
    assert distances == sorted(distances)
    assert outcome.kept[0].document is not None


def test_no_chunk_is_looked_at_twice(foreign) -> None:
    outcome = ask(foreign, "attack matrix for clerics, armor class 6")
    ids = [decision.chunk_id for decision in outcome.decisions]
    assert outcome.rounds > 1
    assert len(ids) == len(set(ids))
    assert outcome.excluded == sum(not decision.kept for decision in outcome.decisions) > 0


def test_it_stops_after_its_rounds_and_says_so(foreign) -> None:
    outcome = ask(foreign, "attack matrix, opponent armor class, level 1", k=5, rounds=2)
    assert outcome.rounds == 2
    assert len(outcome.decisions) == 10
    assert len(outcome.kept) < 5


def test_it_stops_when_nothing_is_left(foreign) -> None:
    outcome = ask(foreign, "dragon", k=500)
    assert outcome.rounds == 1
    assert len(outcome.decisions) == foreign.count()


def test_one_round_is_enough_where_nothing_is_excluded(foreign) -> None:
    assert ask(foreign, "dragon tavern sea rope night price", k=3).rounds == 1


def test_an_empty_question_is_refused(foreign) -> None:
    with pytest.raises(InvalidQueryError):
        ask(foreign, " ")


def test_a_predicate_that_cannot_be_read_keeps_its_chunk(tmp_path: Path) -> None:
    client = chromadb.PersistentClient(str(tmp_path))
    collection = client.create_collection("broken", embedding_function=None)
    predicates = ["{not json", json.dumps({"contain_every_of": ["x"]}), json.dumps({"contain": "dragon"})]
    metadata = [{"query_must": predicate} for predicate in predicates]
    collection.add(ids=["a", "b", "c"], embeddings=ToyEmbedder().embed(["a", "b", "c"]), metadatas=metadata)
    outcome = ask(collection, "tavern")
    assert sorted(candidate.id for candidate in outcome.kept) == ["a", "b"]
    client.close()


def test_two_collections_are_one_merged_by_distance_then_id(foreign, tmp_path: Path) -> None:
    everything = foreign.get(include=["embeddings", "metadatas", "documents"])
    client = chromadb.PersistentClient(str(tmp_path))
    halves = [client.create_collection(f"half-{number}", embedding_function=None) for number in range(2)]
    for number, half in enumerate(halves):
        places = [place for place in range(len(everything["ids"])) if place % 2 == number or place < 5]
        half.add(
            ids=[everything["ids"][place] for place in places],
            embeddings=everything["embeddings"][places],
            metadatas=[everything["metadatas"][place] for place in places],
            documents=[everything["documents"][place] for place in places],
        )
    for question in ("attack matrix for clerics, opponent armor class 6, level 1", "dragon in the tavern"):
        whole, parts = ask(foreign, question), ask(halves, question)
        assert [candidate.id for candidate in parts.kept] == [candidate.id for candidate in whole.kept]
        assert parts.decisions == whole.decisions
    client.close()


def test_noisy_chunks_stand_back_and_their_filter_holds_all_the_same(tmp_path: Path) -> None:
    client = chromadb.PersistentClient(str(tmp_path))
    collection = client.create_collection("noisy", embedding_function=None)
    texts = ["dragon lair", "dragon lairs", "dragon den", "quite another thing"]
    noisy: list[dict] = [{"is_noisy": True, "n": 1}, {"is_noisy": False, "n": 1}, {"n": 1}, {"is_noisy": True, "n": 2}]
    collection.add(ids=list("abcd"), embeddings=ToyEmbedder().embed(texts), metadatas=noisy)

    def asked(weight: float, where: dict | None = None) -> list[str]:
        outcome = retrieve_with_iterative_filtering(
            "dragon lair!", collection, 4, embedder=ToyEmbedder(), noisy_weight=weight, where=where
        )
        return [candidate.id for candidate in outcome.kept]

    assert asked(1.0)[0] == "a"
    assert asked(0.001) == ["b", "c", "a", "d"]
    assert asked(0.001, {"n": 1}) == ["b", "c", "a"]
    assert asked(1.0, {"n": 2}) == ["d"]
    client.close()


@pytest.mark.parametrize("weight", [0, -1.0, float("nan")])
def test_a_weight_that_cannot_divide_is_refused(foreign, weight):
    with pytest.raises(InvalidQueryError, match="noisy_weight is"):
        retrieve_with_iterative_filtering("AC 6", foreign, embedder=ToyEmbedder(), noisy_weight=weight)
