"""."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import chromadb
import numpy as np
import pytest

from retrieval.errors import (
    EmbedderMismatchError,
    IndexMissingError,
    InvalidDocumentError,
    StoreUnavailableError,
    UnknownNameError,
)
from retrieval.index.chroma.foreign import collection_named, fill, open_chroma
from tests.chunks import EMPTY


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    client = chromadb.PersistentClient(str(tmp_path))
    client.create_collection("rules", embedding_function=None).add(ids=["a"], embeddings=[[1.0, 0.0]])
    client.close()
    return tmp_path


def test_a_collection_is_found_by_its_name(folder: Path) -> None:
    with open_chroma(folder) as client:
        assert collection_named(client, "rules").count() == 1
        with pytest.raises(UnknownNameError, match=r"'Rules'; did you mean 'rules'\? there are: rules"):
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


def test_what_cannot_be_written_says_why(tmp_path: Path) -> None:
    fill(tmp_path, "book", CHUNKS, np.eye(2, dtype=np.float32))
    with pytest.raises(EmbedderMismatchError, match="--truncate"):
        fill(tmp_path, "book", CHUNKS, np.eye(3, dtype=np.float32)[:2])
    assert fill(tmp_path, "book", CHUNKS[:1], np.eye(3, dtype=np.float32)[:1], truncate=True) == 1
    with pytest.raises(InvalidDocumentError, match=r"takes no collection '\?'"):
        fill(tmp_path, "?", CHUNKS, np.eye(2, dtype=np.float32))
    with pytest.raises(StoreUnavailableError, match="start it"):
        fill("http://127.0.0.1:9", "book", CHUNKS, np.eye(2, dtype=np.float32))
