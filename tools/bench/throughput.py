"""How many books an hour one process and two index, and what bounds them: `python -m tools bench spread`."""

import os
import platform
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from pipeline.runs.apart import build_apart
from pipeline.runs.outcomes import Step
from retrieval.clock import Clock
from retrieval.errors import RetrievalError
from retrieval.home import Home
from retrieval.settings import DASK, IN_PROCESS, MULTIPROCESS, Settings
from tools.bench.rebuild import CHUNKS_OF_A_DOCUMENT, DOCUMENTS, write_library
from tools.bench.resource_use import cpu_of_children
from tools.corpora.indexes import Tell

SEED = 0
CHUNKS_OF_A_BOOK = DOCUMENTS * CHUNKS_OF_A_DOCUMENT
WAYS = ((IN_PROCESS, 1), (MULTIPROCESS, 2), (DASK, 2))
"""Executors, and how many processes each is given."""

_COLUMNS = (
    *("executor", "processes", "books an hour", "relative to one process"),
    *("start", "books", "rest", "CPU", "busy cores"),
)


@dataclass(frozen=True, slots=True)
class SpreadTiming:
    """One first build of the library. Key: executor."""

    executor: str
    processes: int
    start_seconds: float
    """From the command to the first book: its own process, and those that the executor starts."""
    books_seconds: float
    """From the begin of the first book to the end of the last one."""
    rest_seconds: float
    """The index of the whole library and its promotion: one process's work, whatever the executor."""
    cpu_seconds: float
    """Of all its processes, in user and system mode, from the command to its end."""

    @property
    def seconds(self) -> float:
        """From the command to its end."""
        return self.start_seconds + self.books_seconds + self.rest_seconds


@dataclass(frozen=True, slots=True)
class SpreadReport:
    """One run. Key: (books, chunks, seed)."""

    books: int
    chunks: int
    """Of each book."""
    seed: int
    cores: int
    python: str
    load: float
    """Load average of the machine at the end: above the number of processes, others were at work."""
    timings: tuple[SpreadTiming, ...]

    def an_hour(self, timing: SpreadTiming) -> float:
        """Books that whole builds of this library index in an hour."""
        return 3600 * self.books / timing.seconds

    def lines(self) -> Iterator[str]:
        """A markdown table, a line for each executor, and a sentence about what was built where."""
        yield f"| {' | '.join(_COLUMNS)} |"
        yield "|---|" + "---:|" * (len(_COLUMNS) - 1)
        for timing in self.timings:
            yield (
                f"| `{timing.executor}` | {timing.processes} | {self.an_hour(timing):,.0f} "
                f"| {self.an_hour(timing) / self.an_hour(self.timings[0]):.2f} | {timing.start_seconds:.1f} s "
                f"| {timing.books_seconds:.1f} s | {timing.rest_seconds:.1f} s | {timing.cpu_seconds:.1f} s "
                f"| {timing.cpu_seconds / timing.seconds:.2f} |"
            )
        yield ""
        yield (
            f"First builds of {self.books} books of {self.chunks:,} chunks, one build after the other, on {self.cores} "
            f"cores; Python {self.python}, load average {self.load:.1f} at the end. Upper bounds: by the CPU time of "
            f"one build, {self.cores} cores can index {self._by_cores():,.0f} books an hour; by `start` and "
            "`rest`, which "
            f"one process does, any number of cores can index {self._by_rest():,.0f}."
        )

    def _by_cores(self) -> float:
        return 3600 * self.books * self.cores / self.timings[0].cpu_seconds

    def _by_rest(self) -> float:
        return 3600 * self.books / (self.timings[0].start_seconds + self.timings[0].rest_seconds)


def run_spread(books: int, tell: Tell) -> SpreadReport:
    """Build one library in homes of their own, with each executor; in a folder that goes.

    Args:
        books: of the library; each has as many chunks as a small manual.
        tell: called as the work goes on.

    Raises:
        RetrievalError: a build did not go live, or gave another index than the first.
    """
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write_library(folder / "library", books * CHUNKS_OF_A_BOOK, SEED)
        homes = [
            Home(folder / executor, Settings(folder / "library", executor=executor, processes=processes))
            for executor, processes in WAYS
        ]
        timings = tuple(_timed(home, books, tell) for home in homes)
        _require_one_index(homes)
    return SpreadReport(
        books=books,
        chunks=CHUNKS_OF_A_BOOK,
        seed=SEED,
        cores=len(os.sched_getaffinity(0)),
        python=platform.python_version(),
        load=round(os.getloadavg()[0], 1),
        timings=timings,
    )


def _timed(home: Home, books: int, tell: Tell) -> SpreadTiming:
    executor, cpu, clock = home.settings.executor, cpu_of_children(), Clock()
    begun: list[float] = []
    rest: list[float] = []

    def see(step: Step) -> None:
        (begun if step.done < books else rest).append(clock.seconds)
        tell(f"{executor}: {step.doing}", step.done, step.total)

    done = build_apart(home, see)
    seconds = clock.seconds
    if done.problems:
        raise RetrievalError(f"{executor}: {done.problems[0].where}: {done.problems[0].sentence}")
    return SpreadTiming(
        executor=executor,
        processes=home.settings.lanes,
        start_seconds=round(begun[0], 2),
        books_seconds=round(rest[0] - begun[0], 2),
        rest_seconds=round(seconds - rest[0], 2),
        cpu_seconds=round(cpu_of_children() - cpu, 2),
    )


def _require_one_index(homes: list[Home]) -> None:
    first = homes[0].candidate
    for home in homes[1:]:
        if home.candidate != first:
            raise RetrievalError(
                f"{home.settings.executor} built {home.candidate}, {homes[0].settings.executor} {first}: "
                "how many processes index books must change nothing; compare the two"
            )
