"""How the ways of searching compare on a library of N chunks, in one run, text in and ids out.

The library is synthetic: tables of 20 near-twin rows, a
fifth of the tables strict (four tables a subject, as attack matrices are), the rest open, half of those with names.
Vectors are the offline embedder's own.
"""

import tempfile
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from time import perf_counter
from typing import TypeVar

import numpy as np

from pipeline.bench_library import synthetic_library, synthetic_questions
from retrieval.index.chroma import ChromaStore
from retrieval.index.embedders import load_embedder
from retrieval.index.embedding_text import embedding_text
from retrieval.index.snapshot import build_snapshot, open_snapshot
from retrieval.query_must.vocabulary import Vocabulary
from retrieval.search.cosine import similarity
from retrieval.search.filtering import admitted_mask
from retrieval.search.fusion import best
from retrieval.search.iterative import retrieve_with_iterative_filtering
from retrieval.search.question import Question
from retrieval.search.retriever import Retriever
from retrieval.types import Chunk, Vector

K = 15
Result = TypeVar("Result")


@dataclass(frozen=True, slots=True)
class Timing:
    """How long one way of searching takes for a question. Key: name."""

    name: str
    p50_ms: float
    p95_ms: float
    ratio: float
    """p50 as a multiple of `chroma_plain`."""
    starved: int
    """Questions with fewer than k results though more exist."""


@dataclass(frozen=True, slots=True)
class ScaleReport:
    """One run. Key: (chunks, seed)."""

    chunks: int
    guarded: int
    seed: int
    questions: int
    admitted_p50: float
    """Guarded chunks that a question admits, median."""
    three_rounds: int
    """Questions for which the published loop needs all its rounds."""
    ann_recall: float
    """Share of the true 15 nearest that a plain query finds, ties counted as found."""
    build_seconds: dict[str, float]
    timings: tuple[Timing, ...]

    def lines(self) -> tuple[str, ...]:
        """For a person to read: the facts, then a markdown table of the times."""
        facts = {name: value for name, value in asdict(self).items() if name != "timings"}
        lines = ["| search | p50 ms | p95 ms | times chroma_plain | starved |", "|---|---|---|---|---|"]
        lines += [
            f"| {timing.name} | {timing.p50_ms:.2f} | {timing.p95_ms:.2f} | {timing.ratio:.2f} | {timing.starved} |"
            for timing in self.timings
        ]
        return (*(f"{name}: {value}" for name, value in facts.items()), "", *lines)


def run_scale(chunks: int, seed: int = 0, questions: int = 200, home: Path | None = None) -> ScaleReport:
    """Build a synthetic library and time every way of searching it.

    Args:
        chunks: how many; a multiple of 100.
        seed: of the library and of the questions.
        questions: half name one row, a quarter two to four, a quarter none.
        home: where to build; a temporary folder when None.
    """
    if home is None:
        with tempfile.TemporaryDirectory() as folder:
            return run_scale(chunks, seed, questions, Path(folder))
    library = synthetic_library(chunks, seed)
    asked = synthetic_questions(library, questions, seed)
    seconds: dict[str, float] = {}
    embedder = load_embedder()
    vectors = _timed(seconds, "embed", lambda: embedder.embed([embedding_text(chunk) for chunk in library]))
    manifest = _timed(
        seconds,
        "snapshot",
        lambda: build_snapshot(home, library, vectors, embedder.identity, Vocabulary.default()),
    )
    single = _timed(seconds, "one_collection", lambda: _one_collection(home / "single", library, vectors))
    snapshot = _timed(seconds, "open", lambda: open_snapshot(home, manifest.id))
    with snapshot:
        retriever = Retriever(snapshot, embedder)
        report = _measure(retriever, single, asked, seed, seconds)
    single.close()
    return report


def _measure(
    retriever: Retriever, single: ChromaStore, asked: Sequence[str], seed: int, seconds: dict[str, float]
) -> ScaleReport:
    snapshot, embedder = retriever.snapshot, retriever.embedder
    rounds: list[int] = []

    def embed(text: str) -> Vector:
        return embedder.embed_query(text)

    def nin_loop(text: str) -> int:
        outcome = retrieve_with_iterative_filtering(text, single.collection("open"), K, embedder=embedder)
        rounds.append(outcome.rounds)
        return len(outcome.kept)

    def exact_scan(text: str) -> int:
        mask = admitted_mask(snapshot, retriever.admitted(Question.ask(text, snapshot.vocabulary)))
        return len(best(similarity(snapshot.vectors, embed(text)), K, mask))

    ways: dict[str, Callable[[str], int]] = {
        "chroma_plain": lambda text: len(single.nearest("open", embed(text), K).ids),
        "nin_loop": nin_loop,
        "exact_scan": exact_scan,
        **{name: _results(retriever, name) for name in ("dense", "prefilter", "bm25", "hybrid", "default")},
    }
    measured = {name: _milliseconds(way, asked) for name, way in ways.items()}
    hard = [place for place, count in enumerate(rounds[-len(asked) :]) if count >= 3]
    if hard:
        times, counts = measured["nin_loop"]
        measured["nin_loop, three rounds"] = (times[hard], [counts[place] for place in hard])
    plain = float(np.median(measured["chroma_plain"][0]))
    admitted = [len(retriever.admitted(Question.ask(text, snapshot.vocabulary))) for text in asked]
    return ScaleReport(
        chunks=len(snapshot),
        guarded=snapshot.manifest.n_guarded,
        seed=seed,
        questions=len(asked),
        admitted_p50=float(np.median(admitted)),
        three_rounds=len(hard),
        ann_recall=_recall(retriever, single, asked),
        build_seconds={name: round(value, 2) for name, value in seconds.items()},
        timings=tuple(_timing(name, *values, plain) for name, values in measured.items()),
    )


def _results(retriever: Retriever, strategy: str) -> Callable[[str], int]:
    return lambda text: len(retriever.retrieve(text, K, strategy).hits)


def _milliseconds(way: Callable[[str], int], asked: Sequence[str]) -> tuple[np.ndarray, list[int]]:
    """Times after one warm question, and how many results each question had."""
    way(asked[0])
    times, counts = [], []
    for text in asked:
        begun = perf_counter()
        counts.append(way(text))
        times.append((perf_counter() - begun) * 1000)
    return np.asarray(times), counts


def _timing(name: str, times: np.ndarray, counts: Sequence[int], plain: float) -> Timing:
    p50, p95 = (round(float(value), 3) for value in np.percentile(times, [50, 95]))
    return Timing(name, p50, p95, round(float(np.median(times)) / plain, 2), sum(count < K for count in counts))


def _recall(retriever: Retriever, single: ChromaStore, asked: Sequence[str]) -> float:
    snapshot, hit = retriever.snapshot, 0
    for vector in map(retriever.embedder.embed_query, asked):
        exact = similarity(snapshot.vectors, vector)
        found = snapshot.chunks.positions(single.nearest("open", vector, K).ids)
        hit += int((exact[found] >= np.sort(exact)[-K] - 1e-6).sum())
    return round(hit / (K * len(asked)), 4)


def _one_collection(folder: Path, library: Sequence[Chunk], vectors: Vector) -> ChromaStore:
    """Everything in one collection with `query_must` in the metadata, as the published plan has it."""
    store = ChromaStore(folder)
    store.create("open")
    metadata = [
        {"id": chunk.id, "title": chunk.title} | ({"query_must": chunk.query_must} if chunk.query_must else {})
        for chunk in library
    ]
    for _ in store.add("open", [chunk.id for chunk in library], vectors, metadata):
        pass
    return store


def _timed(seconds: dict[str, float], name: str, work: Callable[[], Result]) -> Result:
    begun = perf_counter()
    result = work()
    seconds[name] = perf_counter() - begun
    return result
