"""The server on a real socket, in a thread."""

from __future__ import annotations

import json
import shutil
import threading
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING

import httpx
import pytest
import uvicorn

from retrieval.serve.app import create_app
from retrieval.serve.connections import BOUNDS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from retrieval.home import Home

    Serving = Callable[..., "contextmanager[httpx.Client]"]


@contextmanager
def served(home: Path, **options: object) -> Iterator[httpx.Client]:
    """A client of the server over a home; `options` are those of `create_app`."""
    options.setdefault("environment", {})
    config = uvicorn.Config(
        create_app(home, **options),  # type: ignore[arg-type]
        port=0,
        log_level="error",
        timeout_graceful_shutdown=5,
        **BOUNDS,
    )
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run)
    thread.start()
    while not server.started and thread.is_alive():
        time.sleep(0.01)
    (socket, *_) = server.servers[0].sockets
    try:
        with httpx.Client(base_url=f"http://127.0.0.1:{socket.getsockname()[1]}", timeout=60) as client:
            yield client
    finally:
        server.should_exit = True
        thread.join()


def events(response: httpx.Response) -> list[tuple[str, dict[str, object]]]:
    """The server-sent events of an answer: name and data."""
    events = []
    for block in response.text.replace("\r\n", "\n").strip().split("\n\n"):
        fields = dict(line.split(": ", 1) for line in block.splitlines() if not line.startswith(":"))
        if fields:
            events.append((fields["event"], json.loads(fields["data"])))
    return events


@pytest.fixture(scope="module")
def home(sample: Home, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the sample's home, which the tests of one module may change."""
    folder = tmp_path_factory.mktemp("page") / "home"
    shutil.copytree(sample.root, folder)
    return folder


@pytest.fixture(scope="module")
def client(sample: Home) -> Iterator[httpx.Client]:
    """Over the sample, without a key."""
    with served(sample.root) as made:
        yield made
