"""How long `RAGPipeline.retrieve` takes: over the contract's hundred documents, and over a library of N chunks.

The large library is that of `bench scale`. Beside each answer a plain Chroma query is timed, in the same run: the
ratio says more than milliseconds, which a busy machine stretches.
"""

import os
import platform
import tempfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from uuid import UUID

import numpy as np

from retrieval.clock import Clock
from retrieval.index.embedding.embedders import load_embedder
from retrieval.index.snapshot.live import promote
from retrieval.index.snapshot.snapshot import open_snapshot
from retrieval.rag.contract import RuleDocument
from retrieval.rag.pipeline import RAGPipeline
from retrieval.types import Embedder
from tools.bench.scale.library import (
    SingleCollection,
    scale_index,
    synthetic_library,
    synthetic_questions,
    write_single,
)
from tools.corpora.indexes import Tell

QUESTION = "test"
"""What the case asks."""


def hundred_documents() -> list[RuleDocument]:
    """Documents of one short section each."""
    return [
        RuleDocument(
            document_id=UUID(int=number),
            filename=f"doc-{number}.md",
            content=f"# Document {number}\n\n## Rule {number}\n\nThe test of rule {number} needs {number} dice.\n",
            metadata={"source": "Many", "doc_type": "core-rules", "last_update_date": "2026-01-01"},
        )
        for number in range(100)
    ]


_COLUMNS = (
    "library",
    "questions",
    "answered",
    "p50 ms",
    "p95 ms",
    "plain Chroma, p50 ms",
    "ratio",
    "kept answer, p50 ms",
    "ratio to a new one",
)


@dataclass(frozen=True, slots=True)
class ContractTiming:
    """How long the contract takes over one library; times are milliseconds a question. Key: name."""

    name: str
    chunks: int
    questions: int
    answered: int
    """Questions to which a chunk is returned; the others take as long."""
    p50_ms: float
    p95_ms: float
    plain_p50_ms: float
    """One unfiltered Chroma query for as many chunks to one collection of the same vectors, the embedding of the
    question included."""
    plain_p95_ms: float
    kept_p50_ms: float
    """The same question of the same conversation once more."""

    @property
    def over_plain(self) -> float:
        """An answer as a multiple of a plain query, medians."""
        return self.p50_ms / self.plain_p50_ms

    @property
    def kept_over_new(self) -> float:
        """A kept answer as a share of a new one, medians."""
        return self.kept_p50_ms / self.p50_ms


@dataclass(frozen=True, slots=True)
class ContractReport:
    """One run. Key: seed, and the sizes of the libraries."""

    seed: int
    cores: int
    python: str
    load: float
    """Load average of the machine when it was over: above the one core that this needs, others were at work."""
    timings: tuple[ContractTiming, ...]

    def lines(self) -> Iterator[str]:
        """A markdown table, a line for each library, and a sentence about the machine."""
        yield f"| {' | '.join(_COLUMNS)} |"
        yield "|---|" + "---:|" * (len(_COLUMNS) - 1)
        for timing in self.timings:
            yield (
                f"| {timing.name} | {timing.questions} | {timing.answered} | {timing.p50_ms:.2f} | {timing.p95_ms:.2f} "
                f"| {timing.plain_p50_ms:.2f} | {timing.over_plain:.2f} | {timing.kept_p50_ms:.3f} "
                f"| {timing.kept_over_new:.3f} |"
            )
        yield ""
        yield f"Seed {self.seed}, {self.cores} cores, Python {self.python}; load average at the end {self.load:g}."


_PASSES = 3


def run_contract(
    chunks: int, seed: int = 0, questions: int = 200, home: Path | None = None, tell: Tell = lambda *_: None
) -> ContractReport:
    """Build both libraries and time the contract over them.

    Args:
        chunks: of the large library; a multiple of 100.
        seed: of that library and its questions.
        questions: how many each library is asked.
        home: where the large index is built and found again, that of `run_scale`; a temporary folder when None.
        tell: called as the work goes on.
    """
    with tempfile.TemporaryDirectory() as folder:
        embedder = load_embedder()
        timings = (
            _hundred(Path(folder) / "hundred", questions, embedder, tell),
            _large(home or Path(folder) / "large", chunks, seed, questions, embedder, tell),
        )
    return ContractReport(seed, os.cpu_count() or 1, platform.python_version(), round(os.getloadavg()[0], 1), timings)


def _hundred(home: Path, questions: int, embedder: Embedder, tell: Tell) -> ContractTiming:
    documents = hundred_documents()
    tell("the hundred documents", 0, 1)
    RAGPipeline(home, embedder=embedder).ingest(documents)
    with open_snapshot(home) as snapshot:
        write_single(home / "single", list(snapshot.chunks), np.asarray(snapshot.vectors))
    tell("asking", 0, 1)
    return _timing(f"{len(documents)} documents", home, [QUESTION] * questions, embedder)


def _large(home: Path, chunks: int, seed: int, questions: int, embedder: Embedder, tell: Tell) -> ContractTiming:
    home.mkdir(parents=True, exist_ok=True)
    library = synthetic_library(chunks, seed)
    promote(home, scale_index(home, library, seed, embedder, tell).snapshot)
    texts = [question.text for question in synthetic_questions(library, questions, seed)]
    tell("asking", 0, 1)
    return _timing(f"{len(library):,} chunks", home, texts, embedder)


def _timing(name: str, home: Path, questions: Sequence[str], embedder: Embedder) -> ContractTiming:
    """Ask every question of a conversation of its own, plainly, and once more; a question's time is the middle one of
    three passes, so that what else the machine does meets all ways alike."""
    pipeline, single = RAGPipeline(home, embedder=embedder), SingleCollection(home / "single")
    most = pipeline.home.settings.retrieval.max_chunks

    def contract(text: str, key: str) -> bool:
        return pipeline.retrieve(text, key).meets_threshold

    def plain(text: str, _: str) -> bool:
        return bool(single.nearest(embedder.embed_query(text), most))

    ways = {"new": contract, "plain": plain, "kept": contract}
    times: dict[str, list[list[float]]] = {way: [] for way in ways}
    answered = 0
    for number in range(_PASSES):
        keys = [f"pass-{number}:question-{position}" for position in range(len(questions))]
        for way, ask in ways.items():
            ask(questions[0], "warm:up")
            taken, result = zip(
                *(_timed(ask, *question) for question in zip(questions, keys, strict=True)), strict=True
            )
            times[way].append(list(taken))
            answered = sum(result) if way == "new" else answered
    pipeline.close()
    single.close()
    middle = {way: np.median(np.asarray(time), axis=0) for way, time in times.items()}
    (p50, p95), (plain_p50, plain_p95), (kept_p50, _) = (
        (round(float(value), 4) for value in np.percentile(middle[way], [50, 95])) for way in ways
    )
    return ContractTiming(
        name, len(open_snapshot(home)), len(questions), answered, p50, p95, plain_p50, plain_p95, kept_p50
    )


def _timed(ask: Callable[[str, str], bool], text: str, key: str) -> tuple[float, bool]:
    clock = Clock()
    result = ask(text, key)
    return clock.milliseconds, result
