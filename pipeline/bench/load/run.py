"""Servers over a copy of a live index, with clients that ask them and promotions meanwhile."""

import asyncio
import os
import platform
import shutil
import tempfile
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from evals.questions.questions import load_questions
from pipeline.bench.index import Tell
from pipeline.bench.load.clients import ask_for
from pipeline.bench.load.report import LoadReport, ServerRun
from pipeline.bench.load.server import server
from retrieval.clock import Clock
from retrieval.errors import IndexMissingError
from retrieval.home import Home
from retrieval.index.snapshot.live import live_id, promote
from retrieval.index.snapshot.snapshot import build_snapshot, open_snapshot


def run_load(
    home: Home,
    clients: int,
    seconds: float,
    promotions: int,
    processes: Sequence[int],
    seed: int = 0,
    tell: Tell = lambda *_: None,
) -> LoadReport:
    """Ask servers of so many processes, one after the other. The home is only read.

    Args:
        home: whose live index is served, from a copy, and whose questions are asked.
        clients: how many ask at a time.
        seconds: how long each server is asked.
        promotions: how many indexes go live meanwhile, evenly spread.
        processes: of each server.
        seed: of what the clients ask.
        tell: called as the work goes on.

    Raises:
        NothingLiveError: nothing is live.
        IndexMissingError: there are no questions.
        RetrievalError: a server did not start.
    """
    load_average = round(os.getloadavg()[0], 1)
    questions = [each.query for path in home.settings.questions for each in load_questions(path)]
    if not questions:
        raise IndexMissingError(
            f"{home.root} has no questions to ask; build it with --questions, or: querymust quickstart"
        )
    with tempfile.TemporaryDirectory(prefix="querymust-load-") as folder:
        copy = Path(folder) / "home"
        tell("two indexes", 0, len(processes))
        snapshots, chunks = _two_snapshots(home.root, copy)
        runs = []
        for number, each in enumerate(processes):
            tell(f"{each} at work", number, len(processes))
            with server(copy, each) as url:
                runs.append(
                    asyncio.run(_under_load(url, copy, questions, clients, seconds, promotions, each, snapshots, seed))
                )
    python = platform.python_version()
    return LoadReport(os.cpu_count() or 1, python, load_average, chunks, clients, seconds, tuple(runs))


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
    clients: int,
    seconds: float,
    promotions: int,
    processes: int,
    snapshots: tuple[str, str],
    seed: int,
) -> ServerRun:
    async def promote_meanwhile() -> None:
        for _ in range(promotions):
            await asyncio.sleep(seconds / (promotions + 1))
            other = snapshots[live_id(home) == snapshots[0]]
            await asyncio.to_thread(promote, home, other)

    clock = Clock()
    asked, _ = await asyncio.gather(ask_for(url, questions, clients, seconds, snapshots, seed), promote_meanwhile())
    return ServerRun.of(processes, asked, clock.seconds, promotions)
