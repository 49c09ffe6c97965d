"""Places of three kinds, one of them behind a socket that can damage and forbid what it serves."""

from __future__ import annotations

import signal
import subprocess
import sys
import threading
import uuid
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING, Any

import pytest
from fsspec.implementations.http import HTTPFileSystem

from retrieval.index.places import Place
from retrieval.index.snapshot.live import HISTORY_FILE as HISTORY
from retrieval.index.snapshot.live import promote
from tests.retrieval.index.conftest import only_id

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


KILLED = """
import os, signal, sys
from pathlib import Path
from retrieval.index.places import Place
from retrieval.index.travel.{way} import {way}_snapshot

def tell(path, done, total):
    if done > total / 2:
        os.kill(os.getpid(), signal.SIGKILL)

{way}_snapshot(Path(sys.argv[1]), Place(sys.argv[2]), tell)
"""


def killed(way: str, home: Path, place: Place) -> None:
    """Let another process push or pull, and kill it when half of the bytes are over."""
    done = subprocess.run([sys.executable, "-c", KILLED.format(way=way), str(home), place.name], check=False)
    assert done.returncode == -signal.SIGKILL


def nobody(_path: str, _done: int, _total: int) -> None:
    """Nobody is told how far it is."""


class FileServer:
    """Serves a folder over HTTP on this machine.

    Args:
        folder: what is served.
    """

    def __init__(self, folder: Path) -> None:
        self.damaged: dict[str, int] = {}
        """How often from now on a byte of a file is another one on its way, by the file's name."""
        self.statuses: dict[str, int] = {}
        """Files that are refused, and with which status of HTTP."""
        self.asked: list[str] = []
        """Every path that was asked for with a body."""
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), partial(_Handler, self, directory=str(folder)))
        threading.Thread(target=self._server.serve_forever, daemon=True).start()
        self.url = f"http://127.0.0.1:{self._server.server_port}"

    def close(self) -> None:
        """Serve no more."""
        self._server.shutdown()
        self._server.server_close()


class _Handler(SimpleHTTPRequestHandler):
    protocol_version = "HTTP/1.0"

    def __init__(self, server: FileServer, *given: Any, **named: Any) -> None:
        self.told = server
        super().__init__(*given, **named)

    def do_GET(self) -> None:
        name = self.path.rsplit("/", 1)[-1]
        self.told.asked.append(self.path)
        if name in self.told.statuses:
            self.send_error(self.told.statuses[name])
        else:
            super().do_GET()

    def copyfile(self, source: Any, outputfile: Any) -> None:
        name, content = self.path.rsplit("/", 1)[-1], source.read()
        if self.told.damaged.get(name, 0):
            self.told.damaged[name] -= 1
            content = bytes([content[0] ^ 1]) + content[1:]
        outputfile.write(content)

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002
        """Nothing is written anywhere."""


@pytest.fixture
def builder(home: Path) -> Path:
    """A home with a live snapshot."""
    promote(home, only_id(home))
    return home


@pytest.fixture
def folder(tmp_path: Path) -> Place:
    """A place that is a folder of this machine."""
    return Place(str(tmp_path / "place"))


@pytest.fixture(params=["folder", "memory"])
def place(request: pytest.FixtureRequest, tmp_path: Path) -> Place:
    """A place that can be written, of two file systems."""
    return Place(str(tmp_path / "place") if request.param == "folder" else f"memory://{uuid.uuid4().hex}/rules")


@pytest.fixture
def server(tmp_path: Path) -> Iterator[FileServer]:
    """The folder of `folder`, served over HTTP."""
    (tmp_path / "place").mkdir(exist_ok=True)
    started = FileServer(tmp_path / "place")
    yield started
    started.close()
    HTTPFileSystem.clear_instance_cache()


def history_of(place: Place) -> bytes:
    """The lines of a place's history."""
    return place.read(HISTORY) or b""
