"""A Milvus Lite behind a socket, in a process of its own."""

from __future__ import annotations

import subprocess
import sys
import time
from contextlib import closing
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

import pytest

from tests.processes import free_port, listens

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from retrieval.index.milvus import MilvusServer

SECONDS = 60
"""Until it is given up."""


@pytest.fixture(scope="session")
def milvus_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Its address as the setting `store` has it, but for the library. Each test takes a library of its own."""
    if find_spec("milvus_lite") is None or find_spec("pymilvus") is None:
        pytest.skip("Milvus Lite and its client are not installed; pip install -e '.[dev]' brings them")
    folder, port = tmp_path_factory.mktemp("milvus"), free_port()
    command = [sys.executable, "-m", "milvus_lite", "server", "--host", "127.0.0.1", "--port", str(port)]
    with (folder / "log").open("w") as log:
        server = subprocess.Popen([*command, "--data-dir", str(folder / "data")], stdout=log, stderr=log)
    try:
        until = time.monotonic() + SECONDS
        while not listens(port):
            assert server.poll() is None, (folder / "log").read_text()
            assert time.monotonic() < until, f"no answer in {SECONDS} s"
            time.sleep(0.05)
        yield f"milvus+http://127.0.0.1:{port}"
    finally:
        # Asked to end, it may wait for clients that are gone; nothing of it is read again.
        server.kill()
        server.wait(SECONDS)


def records_of(server: MilvusServer, positions: Sequence[int]) -> dict[int, dict[str, Any]]:
    """What another program reads of a collection: `guarded`, `id`, `title`, `text` and `query_must`, by position."""
    from pymilvus import MilvusClient

    client = MilvusClient(uri=server.uri)
    with closing(client):
        names = ["position", "guarded", "id", "title", "text", "query_must"]
        records = client.get(server.collection, ids=list(positions), output_fields=names)
        return {record["position"]: record for record in records}
