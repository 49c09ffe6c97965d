"""What a build costs after a small change, as a share of the first one: `python -m tools bench rebuild`."""

import os
import platform
import random
import re
import shutil
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from pipeline.runs.apart import build_apart
from pipeline.runs.outcomes import Build, Step
from retrieval.clock import Clock
from retrieval.errors import RetrievalError
from retrieval.home import Home
from retrieval.index.snapshot.live import live_id
from retrieval.settings import Settings
from tools.bench.resource_use import cpu_of_children
from tools.bench.scale.library import invented_words
from tools.corpora.indexes import Tell

ROWS = 20
"""Rows of each table; each is a chunk."""
TABLES = 9
"""Of each document; with its prose they are 200 chunks."""
DOCUMENTS = 5
"""Of each book: 1,000 chunks, as many as a small manual has."""
PROSE = 20
"""Sections of prose of each document, a chunk each."""
CHUNKS_OF_A_DOCUMENT = TABLES * ROWS + PROSE
ADDED = "zz-added.md"

_CELL = re.compile(r"\|[ \t]*([^|\n]*\d[^|\n]*?)[ \t]*\|[ \t]*$")


def write_library(folder: Path, chunks: int, seed: int) -> None:
    """Books of five documents of 200 chunks each: rows of near-twin tables, and prose between them.

    Args:
        folder: of the library; made.
        chunks: how many there are to be; rounded up to whole documents.
        seed: of the words and numbers.
    """
    rng = random.Random(seed)
    words = invented_words(rng)
    for number in range(-(-chunks // CHUNKS_OF_A_DOCUMENT)):
        book = folder / f"book-{number // DOCUMENTS:04}"
        book.mkdir(parents=True, exist_ok=True)
        (book / f"{number % DOCUMENTS:02}.md").write_text(document(words, rng), "utf-8")
        (book / "book.toml").write_text(f'title = "{book.name}"\nlast_update_date = "2026-01-01"\n', "utf-8")


def document(words: Iterator[str], rng: random.Random) -> str:
    """One document: tables of a number and three figures, each with a subject of its own, then prose."""
    lines = [f"# {next(words).title()}"]
    for _ in range(TABLES):
        subject = next(words)
        lines += ["", f"## {subject.title()}", "", "| Armor Class | Price | Weight | Stock |", "|---|---|---|---|"]
        for row in range(ROWS):
            lines.append(f"| {row + 1} | {' | '.join(f'{rng.randint(1, 900)}' for _ in range(3))} |")
    for _ in range(PROSE):
        lines += ["", f"## {next(words).title()}", "", *_paragraphs(words, rng)]
    return "\n".join(lines) + "\n"


def edit_cell(library: Path) -> None:
    """Change the last number of the first table row that ends in one.

    Raises:
        ValueError: no row of the library does.
    """
    for path in sorted(library.rglob("*.md")):
        lines = path.read_text("utf-8").split("\n")
        heads = [at for at, line in enumerate(lines) if set(line) <= set("|-: ") and "-" in line and "|" in line]
        for at in (head + 1 for head in heads if head + 1 < len(lines)):
            if match := _CELL.search(lines[at]):
                lines[at] = f"{lines[at][: match.start(1)]}{match[1]}7{lines[at][match.end(1) :]}"
                path.write_text("\n".join(lines), "utf-8")
                return
    raise ValueError(f"{library} has no table row that ends in a number; name another library")


def add_document(library: Path, seed: int) -> None:
    """Put another document into the first book."""
    rng = random.Random(seed + 1)
    (_books(library)[0] / ADDED).write_text(document((f"{word}x" for word in invented_words(rng)), rng), "utf-8")


def remove_book(library: Path) -> None:
    """Delete the last book."""
    shutil.rmtree(_books(library)[-1])


def _books(library: Path) -> list[Path]:
    return sorted({path.parent for path in library.glob("*/*.md")})


def _paragraphs(words: Iterator[str], rng: random.Random) -> Iterator[str]:
    known = [next(words) for _ in range(6)]
    for _ in range(3):
        yield " ".join(rng.choice(known) for _ in range(40)).capitalize() + "."


SEED = 0
UNCHANGED, CELL = "unchanged", "one cell edited"


@dataclass(frozen=True, slots=True)
class RebuildTiming:
    """One build. Key: name."""

    name: str
    seconds: float
    """From the command to its end, with the start of its process."""
    cpu_seconds: float
    """Of all cores, which another process on the machine does not lengthen as much."""
    ratio: float
    """`seconds` as a share of the first build's."""
    cpu_ratio: float
    chunks: int
    n_embedded: int
    n_skipped: int
    """Books that were not read again."""
    parts: dict[str, float]
    """Seconds by asset and check; those of all books together."""


@dataclass(frozen=True, slots=True)
class RebuildReport:
    """One run: the same home built again and again. Key: (library, chunks)."""

    library: str
    """`synthetic`, or the name of a folder."""
    chunks: int
    books: int
    seed: int
    cores: int
    python: str
    load: float
    """Load average of the machine at the end."""
    builds: tuple[RebuildTiming, ...]

    def lines(self) -> Iterator[str]:
        """A line a build, and its slowest parts."""
        yield f"{self.chunks:,} chunks in {self.books} books ({self.library}); load {self.load}"
        for build in self.builds:
            slowest = sorted(build.parts.items(), key=lambda part: -part[1])[:3]
            parts = ", ".join(f"{name} {seconds:.1f}" for name, seconds in slowest)
            yield (
                f"{build.name}: {build.seconds:.1f} s, {build.ratio:.3f} of the first build "
                f"(CPU {build.cpu_seconds:.1f} s, {build.cpu_ratio:.3f}); {build.n_embedded} embedded, "
                f"{build.n_skipped} books not read" + (f"; {parts}" if parts else "")
            )


def run_rebuild(chunks: int, data: Path | None, tell: Tell) -> RebuildReport:
    """Build a library, then again after nothing, a cell, a document and a book changed; in a folder that goes.

    Args:
        chunks: of the synthetic library.
        data: a folder of books to copy instead.
        tell: called as the work goes on.

    Raises:
        RetrievalError: a build did not go live, or an unchanged one gave another snapshot.
    """
    with tempfile.TemporaryDirectory() as folder:
        library = Path(folder) / "library"
        if data:
            shutil.copytree(data, library)
        else:
            write_library(library, chunks, SEED)
        home = Home(Path(folder) / "home", Settings(library))
        return _report(home, data, tell)


def _report(home: Home, data: Path | None, tell: Tell) -> RebuildReport:
    library = home.library
    changes: dict[str, Callable[[], None]] = {
        "first build": lambda: None,
        UNCHANGED: lambda: None,
        CELL: lambda: edit_cell(library),
        "one document added": lambda: add_document(library, SEED),
        "one book removed": lambda: remove_book(library),
    }
    timings: list[RebuildTiming] = []
    n_books = 0
    for name, change in changes.items():
        change()
        timings.append(_timed(name, home, timings[0] if timings else None, tell))
        n_books = n_books or len(list(home.root.glob("books/*")))
    return RebuildReport(
        library=data.name if data else "synthetic",
        chunks=timings[0].chunks,
        books=n_books,
        seed=SEED,
        cores=len(os.sched_getaffinity(0)),
        python=platform.python_version(),
        load=round(os.getloadavg()[0], 1),
        builds=tuple(timings),
    )


def _timed(name: str, home: Home, first: RebuildTiming | None, tell: Tell) -> RebuildTiming:
    parts, before, clock, cpu = _Parts(name, tell), live_id(home.root), Clock(), cpu_of_children()
    done = build_apart(home, parts.add)
    seconds, cpu = round(clock.seconds, 2), round(cpu_of_children() - cpu, 2)
    parts.end()
    _require_live(name, done, is_same=live_id(home.root) == before)
    n_chunks = done.library["candidate_index"]["n_chunks"]
    return RebuildTiming(
        name,
        seconds,
        cpu,
        round(seconds / (first.seconds if first else seconds), 4),
        round(cpu / (first.cpu_seconds if first else cpu), 4),
        n_chunks if isinstance(n_chunks, int) else 0,
        done.total("n_embedded"),
        len(done.skipped),
        {part: round(value, 2) for part, value in parts.seconds.items()},
    )


def _require_live(name: str, done: Build, *, is_same: bool) -> None:
    if done.problems:
        raise RetrievalError(f"{name}: {done.problems[0].where}: {done.problems[0].sentence}")
    if is_same != (name == UNCHANGED):
        raise RetrievalError(f"{name}: the live snapshot {'stayed' if is_same else 'changed'}; look at the library")


class _Parts:
    """Adds up seconds by the part that a build last named."""

    def __init__(self, name: str, tell: Tell) -> None:
        self.seconds: dict[str, float] = {}
        self._name, self._tell, self._part, self._since = name, tell, "start", Clock()

    def add(self, step: Step) -> None:
        self.end()
        self._part = step.part or "runs"
        self._tell(f"{self._name}: {step.doing}", step.done, step.total)

    def end(self) -> None:
        self.seconds[self._part] = self.seconds.get(self._part, 0.0) + self._since.seconds
        self._since = Clock()
