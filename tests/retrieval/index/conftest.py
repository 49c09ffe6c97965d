"""Places of three kinds, one of them behind a socket that can damage and forbid what it serves."""

from __future__ import annotations

import shutil
import signal
import subprocess
import sys
import threading
import uuid
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from fsspec.implementations.http import HTTPFileSystem

from retrieval.index.places import Place
from retrieval.index.snapshot.live import HISTORY_FILE as HISTORY
from retrieval.index.snapshot.live import promote
from retrieval.index.snapshot.manifest import Manifest
from retrieval.index.snapshot.snapshot import build_snapshot
from retrieval.language.vocabulary import Vocabulary
from retrieval.types import Chunk, EmbedderIdentity, Vector

if TYPE_CHECKING:
    from collections.abc import Iterator


MODEL = EmbedderIdentity("toy", "1", 16)
MUST = '{"contain": "ac 6"}'


def chunk(number: int) -> Chunk:
    table = None if number % 3 else f"table-{number // 9}"
    return Chunk(
        id=f"id-{number * 7919 % 10007:05}",
        book="book",
        document="one.md",
        kind="row" if table else "prose",
        text=f"text {number}",
        search_text=f"armor class {number} dragon",
        source="|",
        lines=(number, number),
        heading_path=("Combat", "Été"),
        columns=("armor class",) if table else (),
        cells=(str(number),) if table else (),
        table_id=table,
        query_must=MUST if number % 9 == 0 else None,
        names=(f"armor class {number}",) if table else (),
        metadata={"tags": ("a", "b"), "priority": 3, "draft": False},
    )


def row(key, *, note="-", heading="Arms", caption="", columns=("Item", "Note"), names=()):
    """A row of one of the tables of a book, one table under each heading."""
    output = (heading, caption, f"{columns[0]}: {key}; {columns[1]}: {note}", *names)
    return Chunk(
        id=f"{heading}-{key}",
        book="book",
        document="one.md",
        kind="row",
        text="",
        search_text="\n".join(output),
        source="",
        lines=(1, 1),
        heading_path=("Book", heading),
        caption=caption or None,
        columns=columns,
        cells=(key, note),
        row_key=key,
        table_id=f"table {heading}",
        names=names,
    )


def vectors_of(count: int) -> Vector:
    matrix = np.random.default_rng(5).normal(size=(count, 16)).astype(np.float32)
    normalised: Vector = matrix / np.linalg.norm(matrix, axis=1, keepdims=True)
    return normalised


def build(home: Path, count: int = 60) -> Manifest:
    chunks = [chunk(number) for number in range(count)]
    return build_snapshot(home, chunks, vectors_of(count), MODEL, Vocabulary.default())


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    home = tmp_path_factory.mktemp("built")
    build(home)
    return home


@pytest.fixture
def home(built: Path, tmp_path: Path) -> Path:
    shutil.copytree(built, tmp_path / "home")
    return tmp_path / "home"


def only_id(home: Path) -> str:
    (folder,) = (home / "snapshots").iterdir()
    return folder.name


KILLED = """
import os, signal, sys
from pathlib import Path
from retrieval.index.places import Place
from retrieval.index.transfer import {way}_snapshot

def tell(path, done, total):
    if done > total / 2:
        os.kill(os.getpid(), signal.SIGKILL)

{way}_snapshot(Path(sys.argv[1]), Place(sys.argv[2]), tell)
"""


def killed(way: str, home: Path, remote: Place) -> None:
    """Let another process push or pull, and kill it when half of the bytes are over."""
    done = subprocess.run([sys.executable, "-c", KILLED.format(way=way), str(home), remote.name], check=False)
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
def remote(request: pytest.FixtureRequest, tmp_path: Path) -> Place:
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


def history_of(remote: Place) -> bytes:
    """The lines of a place's history."""
    return remote.read(HISTORY) or b""
