"""What goes wrong behind the server is a clear error over a real socket."""

from __future__ import annotations

import shutil
import threading
from typing import TYPE_CHECKING

import pytest

from retrieval.errors import EmbeddingFailureError
from retrieval.index.snapshot.live import live_id
from retrieval.index.snapshot.snapshot import open_snapshot
from retrieval.serve.request_limits import Limits
from tests.retrieval.serve.conftest import events, served

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from retrieval.home import Home
    from retrieval.types import Vector

LOOK_UP = "What does a 7th level cleric need to roll to hit AC 6?"
QUERY = "/v1/query"


@pytest.mark.parametrize("how", ["bytes", "length", "gone"])
def test_a_damaged_index_is_told_without_its_path(sample: Home, tmp_path: Path, how: str) -> None:
    home = tmp_path / "secret-place"
    shutil.copytree(sample.root, home, ignore=shutil.ignore_patterns("dagster", "books", "embeddings"))
    damaged = home / "snapshots" / str(live_id(sample.root)) / "vectors.npy"
    whole = damaged.read_bytes()
    if how == "gone":
        damaged.unlink()
    else:
        damaged.write_bytes(whole[:-9] if how == "length" else whole[:-9] + b"?" * 9)
    with served(home) as client:
        response = client.post("/v1/retrieve", json={"query": LOOK_UP})
        told = events(client.post(QUERY, json={"query": LOOK_UP}))
        assert client.get("/healthz").status_code == 503
        assert client.get("/v1/status").status_code == 503
        damaged.write_bytes(whole)
        assert client.post("/v1/retrieve", json={"query": LOOK_UP}).status_code == 200
    error = response.json()["error"]
    assert (response.status_code, error["type"]) == (503, "IndexCorruptError")
    assert "vectors.npy" in error["message"]
    assert "build the index again" in error["message"]
    assert told[-1] == ("error", {"event": "error", "data": error["message"]})
    assert "secret-place" not in response.text


class Waiting:
    """An embedder that does not answer before it is told to."""

    def __init__(self, sample: Home) -> None:
        snapshot = open_snapshot(sample.root)
        self.identity, self.may = snapshot.manifest.embedder, threading.Event()
        snapshot.close()

    def embed(self, texts: Sequence[str]) -> Vector:
        raise AssertionError(texts)

    def embed_query(self, query: str) -> Vector:
        self.may.wait(60)
        raise EmbeddingFailureError(f"nothing for {query}")


def test_a_search_that_takes_too_long_is_given_up_in_an_answer_too(sample: Home) -> None:
    embedder = Waiting(sample)
    with served(sample.root, embedder=embedder, limits=Limits(seconds=0.4)) as client:
        response = client.post("/v1/retrieve", json={"query": LOOK_UP})
        told = events(client.post(QUERY, json={"query": LOOK_UP, "how": "read"}))
        embedder.may.set()
    assert (response.status_code, response.json()["error"]["type"]) == (504, "RetrievalTimeoutError")
    assert [name for name, _ in told] == ["search", "error"]
    assert str(told[-1][1]["data"]).startswith("no answer within 0.4 seconds")
