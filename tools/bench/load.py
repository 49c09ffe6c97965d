"""Servers over a copy of a live index, with clients that ask them and promotions meanwhile."""

import asyncio
import json
import os
import platform
import random
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal

import httpx
import numpy as np

from evals.questions.questions import load_questions
from retrieval.clock import Clock
from retrieval.errors import IndexMissingError, RetrievalError
from retrieval.home import Home
from retrieval.index.snapshot.live import live_id, promote
from retrieval.index.snapshot.snapshot import build_snapshot, open_snapshot
from tools.corpora.indexes import Tell

Kind = Literal["search", "answer"]
"""A search, or an answer that is read to the last of its events."""
_SHOWN = 5
"""Errors that are named."""


@dataclass(frozen=True, slots=True)
class Request:
    """One request of one client."""

    kind: Kind
    milliseconds: float
    """Until its last byte came."""
    snapshot: str = ""
    """Id of the index that answered."""
    error: str = ""
    """What was wrong with it; empty if nothing."""


@dataclass(frozen=True, slots=True)
class KindTiming:
    """Requests of one kind; milliseconds until the last byte. Key: kind."""

    kind: Kind
    requests: int
    p50_ms: float
    p95_ms: float
    max_ms: float


@dataclass(frozen=True, slots=True)
class ServerRun:
    """One server under load. Key: processes."""

    processes: int
    requests: int
    errors: int
    first_errors: tuple[str, ...]
    requests_per_second: float
    promoted: int
    """Indexes that went live meanwhile."""
    indexes: int
    """How many answered; two take turns at being live."""
    kinds: tuple[KindTiming, ...]

    @classmethod
    def of(cls, processes: int, requests: Sequence[Request], seconds: float, promoted: int) -> "ServerRun":
        """The numbers of what clients saw in so many seconds."""
        errors = [request.error for request in requests if request.error]
        kinds = (
            _timing(kind, [request for request in requests if request.kind == kind]) for kind in ("search", "answer")
        )
        return cls(
            processes,
            len(requests),
            len(errors),
            tuple(dict.fromkeys(errors))[:_SHOWN],
            round(len(requests) / seconds, 1),
            promoted,
            len({request.snapshot for request in requests if request.snapshot}),
            tuple(kind for kind in kinds if kind is not None),
        )


@dataclass(frozen=True, slots=True)
class Load:
    """What clients do to one server."""

    clients: int
    """How many send requests at a time; each waits for the response to its last one."""
    seconds: float
    promotions: int = 0
    """Indexes that go live meanwhile, evenly spread."""
    searches: float = 0.8
    """Share of the requests that are searches; the others are streamed answers."""
    seed: int = 0
    """Of the order of the questions and of the kinds."""


@dataclass(frozen=True, slots=True)
class LoadReport:
    """Servers with different numbers of processes, one after the other, over the same index."""

    cores: int
    python: str
    load_average: float
    """Of this machine in the minute before."""
    chunks: int
    clients: int
    seconds: float
    runs: tuple[ServerRun, ...]

    @property
    def sound(self) -> bool:
        """Whether every request was answered."""
        return not any(run.errors for run in self.runs)

    def lines(self) -> Iterator[str]:
        """For a person to read."""
        yield (
            f"{self.clients} clients for {self.seconds:g} s, {self.chunks:,} chunks, {self.cores} cores, "
            f"Python {self.python}, load {self.load_average} before"
        )
        for run in self.runs:
            noun = "process" if run.processes == 1 else "processes"
            yield (
                f"{run.processes} {noun}: {run.requests:,} requests, {run.errors} errors, "
                f"{run.requests_per_second:g} a second; promotions: {run.promoted}, "
                f"indexes that answered: {run.indexes}"
            )
            for kind in run.kinds:
                yield (
                    f"  {kind.kind:<7} {kind.requests:>6,}  p50 {kind.p50_ms:,.0f} ms, p95 {kind.p95_ms:,.0f} ms, "
                    f"longest {kind.max_ms:,.0f} ms"
                )
            yield from (f"  error: {error}" for error in run.first_errors)


def _timing(kind: Kind, requests: Sequence[Request]) -> KindTiming | None:
    if not requests:
        return None
    times = np.asarray([request.milliseconds for request in requests])
    middle, late = np.percentile(times, (50, 95))
    return KindTiming(kind, len(requests), *(round(float(value), 1) for value in (middle, late, times.max())))


_TIMEOUT = 60.0
_K = 10


async def send_requests(url: str, questions: Sequence[str], load: Load, snapshots: Sequence[str]) -> list[Request]:
    """What became of the requests of all clients; each sends one at least, and finishes what it began.

    Args:
        url: of the server.
        questions: asked in random order.
        snapshots: ids of the indexes that may answer.
    """
    clock = Clock()

    async def client(number: int) -> list[Request]:
        chance, query = random.Random(f"{load.seed} {number}"), list[Request]()
        async with httpx.AsyncClient(base_url=url, timeout=_TIMEOUT) as connection:
            while not query or clock.seconds < load.seconds:
                kind: Kind = "search" if chance.random() < load.searches else "answer"
                query.append(await _ask(connection, kind, chance.choice(questions), snapshots))
        return query

    return [request for requests in await asyncio.gather(*map(client, range(load.clients))) for request in requests]


async def _ask(connection: httpx.AsyncClient, kind: Kind, question: str, snapshots: Sequence[str]) -> Request:
    clock = Clock()
    try:
        if kind == "search":
            response = await connection.post("/v1/retrieve", json={"query": question, "k": _K})
            milliseconds, answer = clock.milliseconds, _checked(response).json()
        else:
            response = await connection.post("/v1/query", json={"query": question, "how": "read"})
            milliseconds, answer = clock.milliseconds, _completed(_checked(response).text)
    except httpx.HTTPError as error:
        return Request(kind, clock.milliseconds, error=f"{type(error).__name__} {error}".strip())
    except ValueError as error:
        return Request(kind, clock.milliseconds, error=str(error))
    if answer["snapshot"] not in snapshots:
        return Request(kind, milliseconds, error=f"the index {answer['snapshot']} answered, which was never live")
    return Request(kind, milliseconds, answer["snapshot"])


def _checked(response: httpx.Response) -> httpx.Response:
    if response.status_code != httpx.codes.OK:
        raise ValueError(f"status {response.status_code}: {response.text:.200}")
    return response


def _completed(stream: str) -> dict[str, Any]:
    """The answer of a stream of events."""
    events = [json.loads(line[6:]) for line in stream.splitlines() if line.startswith("data: ")]
    if not events or events[-1]["event"] != "complete":
        told = events[-1] if events else "no event"
        raise ValueError(f"a stream did not end with `complete`: {told!s:.200}")
    answer: dict[str, Any] = events[-1]["answer"]
    return answer


_PATIENCE = 120.0
"""Seconds until a server answers, and until it has ended."""
_PER_MINUTE = 10**9
"""Requests of one client: here the server is measured and not its limit."""


@contextmanager
def server(home: Path, processes: int) -> Iterator[str]:
    """The address of a server over a home that answers already; it ends with the block.

    Raises:
        RetrievalError: it did not start.
    """
    url = f"http://127.0.0.1:{_free_port()}"
    command = [sys.executable, "-m", "pipeline.cli", "serve", "--home", str(home), "--port", url.rpartition(":")[2]]
    command += ["--processes", str(processes), "--per-minute", str(_PER_MINUTE)]
    log = home / "serve.log"
    with log.open("w") as errors:
        started = subprocess.Popen(  # noqa: S603 -- this very program
            command, stderr=errors, env={**os.environ, "OPENAI_API_KEY": ""}
        )
    try:
        _await(url, started, log)
        yield url
    finally:
        started.send_signal(signal.SIGINT)
        try:
            started.wait(_PATIENCE)
        except subprocess.TimeoutExpired:
            started.kill()
            started.wait()


def _await(url: str, started: "subprocess.Popen[bytes]", log: Path) -> None:
    clock = Clock()
    while clock.seconds < _PATIENCE and started.poll() is None:
        try:
            if httpx.get(f"{url}/healthz", timeout=_PATIENCE).status_code == httpx.codes.OK:
                return
        except httpx.TransportError:
            pass
        time.sleep(0.1)
    *_, last = log.read_text("utf-8").strip().splitlines() or [""]
    raise RetrievalError(f"the server did not start: {last}; try `querymust serve` with the same home")


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def run_load(home: Home, load: Load, processes: Sequence[int], tell: Tell = lambda *_: None) -> LoadReport:
    """Ask servers of so many processes, one after the other. The home is only read.

    Args:
        home: whose live index is served, from a copy, and whose questions are asked.
        processes: of each server.
        tell: called as the work goes on.

    Raises:
        NothingLiveError: nothing is live.
        IndexMissingError: there are no questions.
        RetrievalError: a server did not start.
    """
    load_average = round(os.getloadavg()[0], 1)
    questions = [question.query for path in home.settings.questions for question in load_questions(path)]
    if not questions:
        raise IndexMissingError(
            f"{home.root} has no questions to ask; build it with --questions, or: querymust quickstart"
        )
    with tempfile.TemporaryDirectory(prefix="querymust-load-") as folder:
        copy = Path(folder) / "home"
        tell("two indexes", 0, len(processes))
        snapshots, chunks = _two_snapshots(home.root, copy)
        runs = []
        for number, process in enumerate(processes):
            tell(f"{process} at work", number, len(processes))
            with server(copy, process) as url:
                runs.append(asyncio.run(_under_load(url, copy, questions, load, process, snapshots)))
    python = platform.python_version()
    return LoadReport(os.cpu_count() or 1, python, load_average, chunks, load.clients, load.seconds, tuple(runs))


def _two_snapshots(root: Path, copy: Path) -> tuple[tuple[str, str], int]:
    """The live index of a home in a home of its own, beside one that differs in its texts alone."""
    with open_snapshot(root) as live:
        shutil.copytree(live.folder, copy / "snapshots" / live.id)
        chunks = [replace(chunk, text=f"{chunk.text} ") for chunk in live.chunks]
        other = build_snapshot(copy, chunks, np.array(live.vectors), live.manifest.embedder, live.vocabulary)
        promote(copy, live.id)
        return (live.id, other.id), len(chunks)


async def _under_load(
    url: str,
    home: Path,
    questions: Sequence[str],
    load: Load,
    processes: int,
    snapshots: tuple[str, str],
) -> ServerRun:
    async def promote_meanwhile() -> None:
        for _ in range(load.promotions):
            await asyncio.sleep(load.seconds / (load.promotions + 1))
            other = snapshots[live_id(home) == snapshots[0]]
            await asyncio.to_thread(promote, home, other)

    clock = Clock()
    query, _ = await asyncio.gather(send_requests(url, questions, load, snapshots), promote_meanwhile())
    return ServerRun.of(processes, query, clock.seconds, load.promotions)
