import json
from dataclasses import replace
from pathlib import Path

import chromadb
import pytest

from retrieval.errors import EmbedderMismatchError, InvalidQueryError, UnknownNameError
from retrieval.index.chroma import mirror
from retrieval.query_must import Vocabulary
from retrieval.search.foreign import retrieve_with_iterative_filtering
from retrieval.search.receipt import debug_lines
from tests.retrieval.search.conftest import ToyEmbedder, make_library


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
        places = [position for position in range(len(everything["ids"])) if position % 2 == number or position < 5]
        half.add(
            ids=[everything["ids"][position] for position in places],
            embeddings=everything["embeddings"][places],
            metadatas=[everything["metadatas"][position] for position in places],
            documents=[everything["documents"][position] for position in places],
        )
    for question in ("attack matrix for clerics, opponent armor class 6, level 1", "dragon in the tavern"):
        whole, parts = ask(foreign, question), ask(halves, question)
        assert [candidate.id for candidate in parts.kept] == [candidate.id for candidate in whole.kept]
        assert [replace(decision, collection="rules") for decision in parts.decisions] == list(whole.decisions)
        assert {decision.collection for decision in parts.decisions} == {"half-0", "half-1"}
    client.close()


def test_noisy_chunks_stand_back_and_their_filter_holds_all_the_same(tmp_path: Path) -> None:
    client = chromadb.PersistentClient(str(tmp_path))
    collection = client.create_collection("noisy", embedding_function=None)
    texts = ["dragon lair", "dragon lairs", "dragon den", "quite another thing"]
    noisy: list[dict] = [{"is_noisy": True, "n": 1}, {"is_noisy": False, "n": 1}, {"n": 1}, {"is_noisy": True, "n": 2}]
    collection.add(ids=list("abcd"), embeddings=ToyEmbedder().embed(texts), metadatas=noisy)

    def filter_ids(weight: float, where: dict | None = None) -> list[str]:
        outcome = retrieve_with_iterative_filtering(
            "dragon lair!", collection, 4, embedder=ToyEmbedder(), noisy_weight=weight, where=where
        )
        return [candidate.id for candidate in outcome.kept]

    assert filter_ids(1.0)[0] == "a"
    assert filter_ids(0.001) == ["b", "c", "a", "d"]
    assert filter_ids(0.001, {"n": 1}) == ["b", "c", "a"]
    assert filter_ids(1.0, {"n": 2}) == ["d"]
    client.close()


def test_our_own_collections_hold_the_text_of_each_chunk_and_say_which_are_noisy(tmp_path: Path) -> None:
    library = {chunk.id: chunk for chunk in make_library()}
    vectors = ToyEmbedder().embed([chunk.search_text for chunk in library.values()])
    mirror(tmp_path, "rules", list(library.values()), vectors, "me")
    outcome = retrieve_with_iterative_filtering(CLERIC, "rules", 120, client=tmp_path, embedder=ToyEmbedder())

    assert all(candidate.document == library[candidate.id].text for candidate in outcome.kept)
    noisy = {candidate.id.partition("-")[0]: candidate.metadata["is_noisy"] for candidate in outcome.kept}
    # A row that passes unless another one is named is no noise.
    assert noisy == {"cleric": True, "weapon": False, "prose": False}


@pytest.mark.parametrize("weight", [0, -1.0, float("nan")])
def test_a_weight_that_cannot_divide_is_refused(foreign, weight):
    with pytest.raises(InvalidQueryError, match="noisy_weight is"):
        retrieve_with_iterative_filtering("AC 6", foreign, embedder=ToyEmbedder(), noisy_weight=weight)


@pytest.fixture
def made(tmp_path: Path):
    """A folder of Chroma's files, closed, as somebody else would leave it."""
    client = chromadb.PersistentClient(str(tmp_path / "chroma"))
    library = make_library()
    collection = client.create_collection("rules", embedding_function=None)
    collection.add(
        ids=[chunk.id for chunk in library],
        embeddings=ToyEmbedder().embed([chunk.search_text for chunk in library]),
        metadatas=[
            {"id": chunk.id, "title": chunk.title} | ({"query_must": chunk.query_must} if chunk.query_must else {})
            for chunk in library
        ],
    )
    client.close()
    return tmp_path / "chroma"


CLERIC = "attack matrix for clerics, armor class 6"


def test_the_published_call_finds_a_collection_by_its_name_in_the_folder_where_chroma_keeps_its_files(
    made: Path, monkeypatch: pytest.MonkeyPatch, foreign
) -> None:
    by_name = retrieve_with_iterative_filtering(CLERIC, "rules", client=made, embedder=ToyEmbedder())
    assert [each.id for each in by_name.kept] == [each.id for each in ask(foreign, CLERIC).kept]
    monkeypatch.chdir(made.parent)
    published = retrieve_with_iterative_filtering(
        query=CLERIC, collection_name="rules", k=15, max_iterations=3, debug=False, embedder=ToyEmbedder()
    )
    assert published.decisions == by_name.decisions
    assert {stage.name for stage in published.receipt.stages} == {"collections", "canonical", "embed", "dense"}


def test_a_client_of_ones_own_stays_open(made: Path) -> None:
    client = chromadb.PersistentClient(str(made))
    for _ in range(2):
        outcome = retrieve_with_iterative_filtering(CLERIC, ["rules"], 5, client=client, embedder=ToyEmbedder())
        assert outcome.kept
    assert client.get_collection("rules", embedding_function=None).count() > 0
    client.close()


def test_vectors_of_another_model_are_refused_with_what_to_do(made: Path) -> None:
    class Smaller(ToyEmbedder):
        def embed_query(self, query: str):
            return super().embed_query(query)[:7]

    with pytest.raises(EmbedderMismatchError, match=r"'rules' rejected a vector of 7 dimensions .*filled it"):
        retrieve_with_iterative_filtering(CLERIC, "rules", client=made, embedder=Smaller())


@pytest.mark.parametrize(("name", "number"), [("k", 0), ("max_iterations", 0), ("k", 2.5)])
def test_a_number_that_asks_for_nothing_is_refused(foreign, name: str, number: float) -> None:
    with pytest.raises(InvalidQueryError, match=f"{name} is {number}"):
        retrieve_with_iterative_filtering(CLERIC, foreign, embedder=ToyEmbedder(), **{name: number})


def test_an_empty_question_an_unknown_name_and_no_collection_are_refused(foreign, made: Path) -> None:
    with pytest.raises(InvalidQueryError):
        ask(foreign, " ")
    with pytest.raises(UnknownNameError, match=r"'rule'; did you mean 'rules'\? available: rules"):
        retrieve_with_iterative_filtering(CLERIC, "rule", client=made, embedder=ToyEmbedder())
    with pytest.raises(UnknownNameError, match="no collection is called 'monsters'; available: rules"):
        retrieve_with_iterative_filtering(
            CLERIC, "rules", client=made, embedder=ToyEmbedder(), vocabulary={"monsters": Vocabulary.default()}
        )
    with pytest.raises(InvalidQueryError, match="name at least one"):
        retrieve_with_iterative_filtering(CLERIC, [], embedder=ToyEmbedder())


def test_debug_prints_what_the_outcome_says_of_itself(foreign, capsys: pytest.CaptureFixture[str]) -> None:
    outcome = retrieve_with_iterative_filtering(CLERIC, foreign, 5, 3, True, embedder=ToyEmbedder())
    assert capsys.readouterr().out.splitlines() == list(debug_lines(outcome))
    ask(foreign, CLERIC)
    assert capsys.readouterr().out == ""


def test_rounds_are_counted_and_timed(foreign) -> None:
    outcome = ask(foreign, CLERIC)
    assert [iteration.number for iteration in outcome.iterations] == list(range(1, outcome.rounds + 1))
    assert sum(iteration.looked_at for iteration in outcome.iterations) == len(outcome.decisions)
    assert sum(iteration.excluded for iteration in outcome.iterations) == outcome.excluded
    spent = [iteration.milliseconds for iteration in outcome.iterations]
    assert all(milliseconds > 0 for milliseconds in spent)
    assert sum(spent) <= outcome.milliseconds


def test_one_id_with_other_words_in_another_collection_is_another_chunk(tmp_path: Path) -> None:
    client = chromadb.PersistentClient(str(tmp_path))
    texts = {"handbook": ["dragon lair", "tavern"], "monsters": ["dragon lairs", "tavern"]}
    for name, documents in texts.items():
        client.create_collection(name, embedding_function=None).add(
            ids=["1", "2"], embeddings=ToyEmbedder().embed(documents), documents=documents
        )
    outcome = retrieve_with_iterative_filtering("dragon lair", list(texts), 9, client=client, embedder=ToyEmbedder())
    result = [(each.document, each.collection) for each in outcome.kept]
    assert sorted(result)[:2] == [("dragon lair", "handbook"), ("dragon lairs", "monsters")]
    assert [document for document, _ in result].count("tavern") == 1
    client.close()


def test_what_one_collection_gave_before_does_not_take_the_places_of_another(tmp_path: Path) -> None:
    """Both hold the same near chunks, all excluded; what is behind them is found all the same."""
    client = chromadb.PersistentClient(str(tmp_path))
    near = ["dragon lair", "dragon lairs", "a dragon lair"]
    texts = {"one": [*near, "tavern", "sea"], "two": [*near, "rope", "night"]}
    for name, documents in texts.items():
        must = [{"query_must": json.dumps({"contain": "ogre"})} if text in near else {"n": 1} for text in documents]
        client.create_collection(name, embedding_function=None).add(
            ids=documents, embeddings=ToyEmbedder().embed(documents), documents=documents, metadatas=must
        )
    outcome = retrieve_with_iterative_filtering("dragon lair", list(texts), 3, client=client, embedder=ToyEmbedder())
    assert (outcome.rounds, outcome.excluded, len(outcome.decisions)) == (2, 3, 6)
    assert {each.document for each in outcome.kept} <= {"tavern", "sea", "rope", "night"}
    client.close()


def test_predicates_that_nobody_moved_to_the_metadata_are_said_and_keep_nothing_out(tmp_path: Path) -> None:
    client = chromadb.PersistentClient(str(tmp_path))
    rows = [{"title": f"AC {value}", "query_must": {"contain": f"ac {value}"}} for value in (5, 6)]
    collection = client.create_collection("raw", embedding_function=None)
    texts = ["".join(map(json.dumps, rows)), "prose"]
    collection.add(ids=["both", "prose"], embeddings=ToyEmbedder().embed(texts), documents=texts)
    outcome = ask(collection, "AC 7")
    assert {each.id for each in outcome.kept} == {"both", "prose"}
    assert {decision.chunk_id: decision.reason for decision in outcome.decisions} == {
        "both": "no restrictions: 2 query_must in its document, none in its metadata",
        "prose": "no restrictions",
    }
    client.close()
