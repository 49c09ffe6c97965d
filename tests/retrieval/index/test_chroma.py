from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import chromadb
import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from retrieval.errors import (
    EmbedderMismatchError,
    IndexCorruptError,
    IndexMissingError,
    InvalidDocumentError,
    StoreUnavailableError,
    UnknownNameError,
    VectorDBWriteError,
)
from retrieval.index.chroma import collection_named, facts, fill, mirror, open_chroma
from retrieval.types import Chunk, Vector
from tests.chunks import EMPTY
from tests.retrieval.conftest import free_port


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    client = chromadb.PersistentClient(str(tmp_path))
    client.create_collection("rules", embedding_function=None).add(ids=["a"], embeddings=[[1.0, 0.0]])
    client.close()
    return tmp_path


def test_a_collection_is_found_by_its_name(folder: Path) -> None:
    with open_chroma(folder) as client:
        assert collection_named(client, "rules").count() == 1
        with pytest.raises(UnknownNameError, match=r"'Rules'; did you mean 'rules'\? available: rules"):
            collection_named(client, "Rules")


def test_a_collection_that_embeds_by_itself_is_opened_without_its_embedder(tmp_path: Path) -> None:
    client = chromadb.PersistentClient(str(tmp_path))
    client.create_collection("usual").add(ids=["a"], embeddings=[[1.0, 0.0]])
    client.close()
    with open_chroma(str(tmp_path)) as opened:
        assert collection_named(opened, "usual").query(query_embeddings=[[1.0, 0.0]])["ids"] == [["a"]]


def test_nothing_is_made_where_nothing_is(tmp_path: Path) -> None:
    with pytest.raises(IndexMissingError, match=r"holds no chroma.sqlite3; give the folder"), open_chroma(tmp_path):
        pass
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("place", ["ftp://host", "http://"])
def test_an_address_that_is_none_is_refused(place: str) -> None:
    with pytest.raises(IndexMissingError, match="write http://HOST:PORT"), open_chroma(place):
        pass


CHUNKS = [
    replace(EMPTY, id="a", text="one", metadata={"tags": ("x", "y"), "none": ()}),
    replace(EMPTY, id="b", text="two", query_must='{"contain": "two"}'),
]


def test_a_record_has_the_chunks_text_place_and_condition(tmp_path: Path) -> None:
    assert fill(tmp_path, "book", CHUNKS, np.eye(2, dtype=np.float32)) == 2
    with open_chroma(tmp_path) as client:
        result = collection_named(client, "book").query(query_embeddings=[[0.0, 1.0]], n_results=2)
    assert (result["ids"][0], result["documents"][0]) == (["b", "a"], ["two", "one"])
    second, first = result["metadatas"][0]
    assert (second["query_must"], second["is_noisy"], second["id"]) == ('{"contain": "two"}', True, "b")
    assert (first["tags"], "none" in first, "query_must" in first) == (["x", "y"], False, False)
    assert result["distances"][0] == pytest.approx([0.0, 1.0])


def test_a_record_that_is_put_again_keeps_nothing_of_before(tmp_path: Path) -> None:
    fill(tmp_path, "book", CHUNKS, np.eye(2, dtype=np.float32))
    fill(tmp_path, "book", [replace(CHUNKS[1], query_must=None)], np.eye(2, dtype=np.float32)[1:])
    with open_chroma(tmp_path) as client:
        assert [each.guarded for each in facts(client)] == [0]


def test_what_cannot_be_written_says_why(tmp_path: Path) -> None:
    fill(tmp_path, "book", CHUNKS, np.eye(2, dtype=np.float32))
    with pytest.raises(EmbedderMismatchError, match="--truncate"):
        fill(tmp_path, "book", CHUNKS, np.eye(3, dtype=np.float32)[:2])
    assert fill(tmp_path, "book", CHUNKS[:1], np.eye(3, dtype=np.float32)[:1], truncate=True) == 1
    with pytest.raises(InvalidDocumentError, match=r"does not accept the collection '\?'"):
        fill(tmp_path, "?", CHUNKS, np.eye(2, dtype=np.float32))
    with pytest.raises(StoreUnavailableError, match="start it"):
        fill("http://127.0.0.1:9", "book", CHUNKS, np.eye(2, dtype=np.float32))


Records = dict[str, tuple[str, dict[str, object], list[float]]]


def held(place: Path | str, name: str = "book") -> Records:
    """Text, metadata and vector of every record by its id."""
    with open_chroma(place) as client:
        collection = client.get_collection(name, embedding_function=None)
        got = collection.get(include=["documents", "metadatas", "embeddings"])
    records = zip(got["documents"], got["metadatas"], [vector.tolist() for vector in got["embeddings"]], strict=True)
    return dict(zip(got["ids"], records, strict=True))


VECTORS = np.random.default_rng(5).normal(size=(8, 4)).astype(np.float32)
EDITS = st.lists(
    st.dictionaries(
        st.sampled_from("abcdef"),
        st.tuples(st.sampled_from(("one", "two")), st.sampled_from((None, '{"contain": "x"}')), st.integers(0, 7)),
        min_size=1,
    ),
    min_size=2,
    max_size=3,
)


def library(records: dict[str, tuple[str, str | None, int]]) -> tuple[list[Chunk], Vector]:
    chunks = [replace(EMPTY, id=name, text=text, query_must=must) for name, (text, must, _) in records.items()]
    return chunks, VECTORS[[vector for _, _, vector in records.values()]]


@settings(max_examples=15, deadline=None, suppress_health_check=list(HealthCheck))
@given(edits=EDITS)
def test_whatever_was_edited_a_mirror_holds_what_one_from_nothing_holds(tmp_path_factory, edits):
    folder = tmp_path_factory.mktemp("mirror")
    for records in edits:
        mirror(folder / "edited", "book", *library(records), owner="me")
    mirror(folder / "fresh", "book", *library(edits[-1]), owner="me")
    assert held(folder / "edited") == held(folder / "fresh")
    assert mirror(folder / "edited", "book", *library(edits[-1]), owner="me") == 0


def test_a_mirror_of_another_embedder_is_made_anew(tmp_path: Path) -> None:
    assert mirror(tmp_path, "book", CHUNKS, np.eye(2, dtype=np.float32), "me") == 2
    assert mirror(tmp_path, "book", CHUNKS[:1], np.eye(3, dtype=np.float32)[:1], "me") == 1
    assert [vector for _, _, vector in held(tmp_path).values()] == [[1.0, 0.0, 0.0]]


@pytest.mark.parametrize("owner", ["you", None])
def test_a_mirror_never_touches_what_another_filled(tmp_path: Path, owner: str | None) -> None:
    vectors = np.eye(2, dtype=np.float32)
    if owner is None:
        fill(tmp_path, "book", CHUNKS, vectors)
    else:
        mirror(tmp_path, "book", CHUNKS, vectors, owner)
    before = held(tmp_path)
    with pytest.raises(InvalidDocumentError, match=f"is filled by {owner or 'another program'}; set another location"):
        mirror(tmp_path, "book", CHUNKS[:1], vectors[:1], "me")
    assert held(tmp_path) == before


def test_near_twins_find_themselves(tmp_path: Path) -> None:
    rng = np.random.default_rng(3)
    centres = rng.normal(size=(20, 16)).repeat(50, axis=0)
    vectors = (centres + 0.05 * rng.normal(size=(1000, 16))).astype(np.float32)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    mirror(tmp_path, "book", [replace(EMPTY, id=f"{number}") for number in range(1000)], vectors, "me")
    with open_chroma(tmp_path) as client:
        answer = collection_named(client, "book").query(query_embeddings=vectors[::10], n_results=1)
    assert sum(near == [str(10 * at)] for at, near in enumerate(answer["ids"])) >= 99


def test_a_server_is_filled_as_a_folder_is(tmp_path: Path, chroma_server: str) -> None:
    vectors = np.eye(2, dtype=np.float32)
    mirror(chroma_server, "mirrored", CHUNKS, vectors, "me")
    mirror(tmp_path, "mirrored", CHUNKS, vectors, "me")
    assert held(chroma_server, "mirrored") == held(tmp_path, "mirrored")


def test_a_folder_that_is_no_chroma_says_what_to_do_and_serves_once_it_is_deleted(tmp_path: Path) -> None:
    (tmp_path / "chroma.sqlite3").write_bytes(b"not a database" * 1000)
    with pytest.raises(IndexCorruptError, match="delete that folder, and fill it again"):
        mirror(tmp_path, "book", CHUNKS, np.eye(2, dtype=np.float32), "me")
    (tmp_path / "chroma.sqlite3").unlink()
    assert mirror(tmp_path, "book", CHUNKS, np.eye(2, dtype=np.float32), "me") == 2


def test_what_chroma_cannot_write_is_one_error_that_says_what_to_do(tmp_path, monkeypatch):
    def full(*_: object, **__: object) -> None:
        raise RuntimeError("database or disk is full")

    monkeypatch.setattr("chromadb.api.models.Collection.Collection.add", full)
    with pytest.raises(VectorDBWriteError, match=r"disk is full\); make room there"):
        mirror(tmp_path, "book", CHUNKS, np.eye(2, dtype=np.float32), "me")


def test_a_server_that_does_not_answer_is_one_clear_line() -> None:
    location = f"http://127.0.0.1:{free_port()}"
    with (
        pytest.raises(StoreUnavailableError, match=f"the Chroma server at {location} cannot be used .*; start it"),
        open_chroma(location),
    ):
        pass
