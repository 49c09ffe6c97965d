from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from retrieval.errors import EmbedderMismatchError, InvalidDocumentError, StoreUnavailableError
from retrieval.index.chroma.filling import fill
from retrieval.index.chroma.foreign import collection_named, open_chroma
from tests.chunks import EMPTY

CHUNKS = [
    replace(EMPTY, id="a", text="one", metadata={"tags": ("x", "y"), "none": ()}),
    replace(EMPTY, id="b", text="two", query_must='{"contain": "two"}'),
]


def test_a_record_has_the_chunks_text_place_and_condition(tmp_path: Path) -> None:
    assert fill(tmp_path, "book", CHUNKS, np.eye(2, dtype=np.float32)) == 2
    with open_chroma(tmp_path) as client:
        found = collection_named(client, "book").query(query_embeddings=[[0.0, 1.0]], n_results=2)
    assert (found["ids"][0], found["documents"][0]) == (["b", "a"], ["two", "one"])
    second, first = found["metadatas"][0]
    assert (second["query_must"], second["is_noisy"], second["id"]) == ('{"contain": "two"}', True, "b")
    assert (first["tags"], "none" in first, "query_must" in first) == (["x", "y"], False, False)
    assert found["distances"][0] == pytest.approx([0.0, 1.0])


def test_what_cannot_be_written_says_why(tmp_path: Path) -> None:
    fill(tmp_path, "book", CHUNKS, np.eye(2, dtype=np.float32))
    with pytest.raises(EmbedderMismatchError, match="--truncate"):
        fill(tmp_path, "book", CHUNKS, np.eye(3, dtype=np.float32)[:2])
    assert fill(tmp_path, "book", CHUNKS[:1], np.eye(3, dtype=np.float32)[:1], truncate=True) == 1
    with pytest.raises(InvalidDocumentError, match=r"takes no collection '\?'"):
        fill(tmp_path, "?", CHUNKS, np.eye(2, dtype=np.float32))
    with pytest.raises(StoreUnavailableError, match="start it"):
        fill("http://127.0.0.1:9", "book", CHUNKS, np.eye(2, dtype=np.float32))
