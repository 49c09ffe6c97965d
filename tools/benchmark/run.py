"""Every system over every folder of books, each in a process of its own, one after another."""

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from functools import cache
from pathlib import Path

from retrieval.clock import Clock
from retrieval.errors import RetrievalError
from tools.benchmark.reading import Gold, ShownText
from tools.benchmark.system import Passage, System, install_command, load_system, why_missing
from tools.benchmark.worker import Job, Outcome
from tools.corpora.books import BookSet

ROOT = Path(__file__).resolve().parents[2]
TIMEOUT = 3_600
"""Seconds that one system gets for one folder of books."""
ENVIRONMENT = {
    # one thread: the times of all systems are those of one core
    "OMP_NUM_THREADS": "1",
    "OPENBLAS_NUM_THREADS": "1",
    "TOKENIZERS_PARALLELISM": "false",
    # nothing is sent or fetched
    "ANONYMIZED_TELEMETRY": "False",
    "DO_NOT_TRACK": "1",
    "HAYSTACK_TELEMETRY_ENABLED": "False",
    "HF_HUB_OFFLINE": "1",
    "LANGCHAIN_TRACING_V2": "false",
    "LANGSMITH_TRACING": "false",
}
Tell = Callable[[str, int, int], None]


@dataclass(frozen=True, slots=True)
class SystemCard:
    """What a page says about a system. Key: name."""

    name: str
    about: str
    setup: str
    packages: tuple[str, ...]

    @classmethod
    def of(cls, system: System) -> "SystemCard":
        """From its attributes."""
        return cls(system.name, system.about, system.setup, tuple(system.packages))


@dataclass(frozen=True, slots=True)
class LeftOut:
    """A system that was not measured. Key: (system, embedder, books)."""

    system: str
    embedder: str
    books: str
    """Name of the folder."""
    reason: str


@dataclass(frozen=True, slots=True)
class Measured:
    """What all processes found out."""

    outcomes: tuple[Outcome, ...]
    left_out: tuple[LeftOut, ...]
    cards: tuple[SystemCard, ...]
    seconds: float


def measure(folders: Sequence[Path], systems: Sequence[str], embedders: Sequence[str], tell: Tell) -> Measured:
    """Run every job.

    Args:
        folders: of books with their questions, absolute.
        systems: names for `load_system`.
        embedders: names for `load_embedder`.
        tell: called before each job.

    Raises:
        UnknownNameError: there is no such system.
    """
    clock = Clock()
    jobs = [Job(name, model, str(books)) for books in folders for model in embedders for name in systems]
    loaded = {name: _loaded(name) for name in systems}
    outcomes: list[Outcome] = []
    left_out: list[LeftOut] = []
    for number, job in enumerate(jobs):
        tell(f"{Path(job.books).name}, {job.embedder}, {job.system}", number, len(jobs))
        system = loaded[job.system]
        result = system if isinstance(system, str) else run_in_process(job)
        if isinstance(result, Outcome):
            outcomes.append(result)
        else:
            left_out.append(LeftOut(job.system, job.embedder, Path(job.books).name, result))
    cards = tuple(SystemCard.of(system) for system in loaded.values() if not isinstance(system, str))
    return Measured(tuple(outcomes), tuple(left_out), cards, clock.seconds)


@cache
def _loaded(name: str) -> System | str:
    """A system, or why it is left out. A file of the user's is run once."""
    try:
        system = load_system(name)
    except ImportError as error:
        return f"{error}; run: {install_command(name, [error.name or 'the package'])}"
    return why_missing(name, system.packages) or system


def run_in_process(job: Job) -> Outcome | str:
    """The outcome of one job, or why there is none."""
    with tempfile.TemporaryDirectory() as folder:
        request, answer = Path(folder) / "job.json", Path(folder) / "outcome.json"
        request.write_text(json.dumps(asdict(job)), "utf-8")
        try:
            done = subprocess.run(  # noqa: S603 -- this Python and a module of ours
                [sys.executable, "-m", "tools.benchmark.worker", str(request), str(answer)],
                cwd=ROOT,
                env={**os.environ, **ENVIRONMENT},
                capture_output=True,
                text=True,
                timeout=TIMEOUT,
                check=False,
            )
        except subprocess.TimeoutExpired:
            return f"not done after {TIMEOUT} seconds"
        if done.returncode or not answer.is_file():
            return f"failed: {' '.join(done.stderr.strip().splitlines()[-1:]) or f'status {done.returncode}'}"
        return Outcome.of(json.loads(answer.read_text("utf-8")))


def lost_gold(books: BookSet) -> Iterator[str]:
    """A sentence for each gold line that does not stand in its book: siblings and rewritten rows are not recognised."""
    for book in books.books:
        texts = {document.path: ShownText(Passage(document.text)) for document in book.documents}
        for question in book.questions:
            gold = Gold.of(question, book.folder) if question.gold else None
            for line in (line for entry in (gold.needed if gold else ()) for line in entry):
                shown = texts.get(line.file or "")
                if shown is None:
                    yield f"{question.id}: the book {book.name} has no file {line.file!r}"
                elif line.words_read(shown) is None:
                    yield f"{question.id}: {line.file} does not contain {line.text[:60]!r}"


def require_unique_systems(names: Sequence[str]) -> tuple[str, ...]:
    """What the systems that can be measured call themselves.

    Raises:
        RetrievalError: two have one name.
        UnknownNameError: there is no such system.
    """
    shown = tuple(system.name for system in map(_loaded, names) if not isinstance(system, str))
    twice = sorted({name for name in shown if shown.count(name) > 1})
    if twice:
        raise RetrievalError(f"two systems are called {twice[0]!r}; give yours another `name`")
    return shown


def require_unique_names(folders: Sequence[Path]) -> None:
    """Raise RetrievalError if two folders have one name: results are kept by it."""
    names = [folder.name for folder in folders]
    if len(set(names)) < len(names):
        raise RetrievalError(f"two folders have one name: {', '.join(names)}; rename one")
