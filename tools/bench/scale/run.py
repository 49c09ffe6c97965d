"""How the ways of searching compare on a library of N chunks, in one run, text in and ids out.

The library is synthetic: tables of 20 near-twin rows, a fifth of the tables strict (four tables a subject, as attack
matrices are), the rest keyed by a number. Vectors are the offline embedder's own.
"""

import multiprocessing
import os
import platform
import tempfile
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from time import process_time

import numpy as np
import numpy.typing as npt

from pipeline.defs.live import EMBEDDED_UP_TO
from retrieval.clock import Clock
from retrieval.index.embedding.embedders import load_embedder
from retrieval.index.snapshot.snapshot import open_snapshot
from retrieval.index.words.lexical_index import LexicalIndex
from retrieval.language.terms import question_tokenizer, tokenizer
from retrieval.search.foreign import retrieve_with_iterative_filtering
from retrieval.search.fusion import best, similarity
from retrieval.search.query import Query
from retrieval.search.retriever import Retriever
from retrieval.strategy import DEFAULT_K, Strategy
from retrieval.types import Chunk
from tools.bench.resource_use import folder_megabytes, mapped_megabytes, own_megabytes, resident_megabytes
from tools.bench.scale.library import (
    ROWS,
    TABLES_TOGETHER,
    AskedQuestion,
    ScaleIndex,
    SingleCollection,
    scale_index,
    synthetic_library,
    synthetic_questions,
)
from tools.bench.scale.report import ScaleReport, Timing
from tools.corpora.indexes import Tell

STRATEGIES = ("dense", "prefilter", "bm25", "hybrid", "hybrid_graph", "default")
EMBEDDER = "wordllama"
"""Embeds a million invented rows in minutes; what is measured is the search, not the model."""
_PASSES = 3

Way = Callable[[AskedQuestion], int]
Milliseconds = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class Measured:
    """Milliseconds and number of results for each question that was asked, aligned."""

    milliseconds: Milliseconds
    cpu: Milliseconds
    """Milliseconds of CPU, of all threads of this process: what else a machine does stretches them less."""
    counts: tuple[int, ...]
    asked: tuple[AskedQuestion, ...]


def measure(ways: Mapping[str, Way], asked: Sequence[AskedQuestion]) -> dict[str, Measured]:
    """Ask every question in every way, three times over; a question's time is the middle one.

    The passes of the ways alternate, so that what else the machine does meets all of them.
    """
    times: dict[str, list[list[tuple[float, float]]]] = {name: [] for name in ways}
    counts: dict[str, tuple[int, ...]] = {}
    for _ in range(_PASSES):
        for name, way in ways.items():
            way(asked[0])
            taken, result = zip(*(_timed(way, question) for question in asked), strict=True)
            times[name].append(list(taken))
            counts[name] = result
    middle = {name: np.median(np.asarray(taken), axis=0) for name, taken in times.items()}
    return {
        name: Measured(medians[:, 0], medians[:, 1], counts[name], tuple(asked)) for name, medians in middle.items()
    }


def searches(retriever: Retriever, single: SingleCollection | None) -> dict[str, Way]:
    """Text in, ids out: a plain question to one collection, if there is one, an exact masked scan, our strategies."""
    snapshot, embedder = retriever.snapshot, retriever.embedder

    def exact_scan(question: AskedQuestion) -> int:
        mask = passing(retriever, question)
        return len(best(similarity(snapshot.vectors, embedder.embed_query(question.text)), DEFAULT_K, mask))

    plain: dict[str, Way] = {}
    if single is not None:
        nearest = single.nearest
        plain["chroma_plain"] = lambda query: len(nearest(embedder.embed_query(query.text), DEFAULT_K))
    return {**plain, "exact_scan": exact_scan, **{name: _strategy(retriever, name) for name in STRATEGIES}}


def nin_loop(retriever: Retriever, single: SingleCollection, rounds: list[int]) -> Way:
    """The published loop over one collection; the rounds of each question are added to `rounds`."""

    def ask(question: AskedQuestion) -> int:
        outcome = retrieve_with_iterative_filtering(
            question.text, single.collection, DEFAULT_K, embedder=retriever.embedder, where=question.chroma_where
        )
        rounds.append(outcome.rounds)
        return len(outcome.kept)

    return ask


def lexical_indexes(retriever: Retriever, texts: Sequence[str]) -> tuple[dict[str, Way], Way]:
    """Our lexical index and bm25s', and rank_bm25's, all on the same tokens; text in, positions out, no filter."""
    from bm25s import BM25
    from rank_bm25 import BM25Okapi

    snapshot = retriever.snapshot
    index: LexicalIndex = snapshot.lexical
    words, how = snapshot.vocabulary, snapshot.manifest.tokenization
    cut, ask = tokenizer(words, how), question_tokenizer(words, how)
    corpus = [cut(text) for text in texts]
    peer = BM25(k1=1.5, b=0.75, method="atire")
    peer.index(corpus, show_progress=False)
    slow = BM25Okapi(corpus)
    ways: dict[str, Way] = {
        "bm25_index": lambda query: len(best(index.scores(query.text), DEFAULT_K)),
        "bm25s": lambda query: peer.retrieve([ask(query.text)], k=DEFAULT_K, show_progress=False).documents.shape[1],
    }
    return ways, lambda query: len(best(slow.get_scores(ask(query.text)), DEFAULT_K))


def passing(retriever: Retriever, question: AskedQuestion) -> npt.NDArray[np.bool_]:
    """(n,): chunks that may come back for a question, by query_must and by its filter."""
    snapshot = retriever.snapshot
    where = question.where.mask(snapshot.metadata) if question.where else None
    return retriever.admitted(Query.ask(question.text, snapshot.vocabulary)).mask(snapshot, where)


def _strategy(retriever: Retriever, chosen: str | Strategy) -> Way:
    """Hits alone: no other way says what it left out, either."""
    return lambda query: len(retriever.retrieve(query.text, DEFAULT_K, chosen, where=query.where, decisions=False).hits)


def _timed(way: Way, question: AskedQuestion) -> tuple[tuple[float, float], int]:
    clock, cpu = Clock(), process_time()
    result = way(question)
    return (clock.milliseconds, 1000 * (process_time() - cpu)), result


ASKED_IN = ("prefilter", "dense", "bm25", "hybrid", "default")
"""The strategies in which a reader is asked every question before its memory is looked at."""


def megabytes(folder: Path, questions: Sequence[AskedQuestion]) -> dict[str, float]:
    """Room on disk, and memory of a fresh process before it opens the snapshot and after it was asked.

    Args:
        folder: of the snapshot.
        questions: every question, in each of `ASKED_IN`.
    """
    with ProcessPoolExecutor(1, mp_context=multiprocessing.get_context("spawn")) as pool:
        process = pool.submit(_resident, folder.parent.parent, folder.name, questions).result()
    single = folder.parents[1] / "single"
    chroma = folder_megabytes(single) if single.is_dir() else 0.0
    sizes = {"disk": folder_megabytes(folder) + chroma, "disk_chroma": chroma}
    return {name: round(size, 1) for name, size in {**sizes, **process}.items()}


def _resident(home: Path, snapshot: str, questions: Sequence[AskedQuestion]) -> dict[str, float]:
    embedder = load_embedder(EMBEDDER)
    embedder.embed_query("loads the weights")
    before = resident_megabytes()
    with open_snapshot(home, snapshot) as opened:
        retriever = Retriever(opened, embedder)
        for strategy in ASKED_IN:
            for question in questions:
                retriever.retrieve(question.text, DEFAULT_K, strategy, where=question.where)
        return {
            "process": before,
            "process_searching": resident_megabytes(),
            "process_own": own_megabytes(),
            "process_mapped": mapped_megabytes(),
        }


SLOW_FROM = 100_000
"""From this many chunks on, the slow ways are asked fewer questions."""
FEW_QUESTIONS = 20
UNFILTERED = frozenset({"dense", "bm25", "hybrid", "hybrid_graph"})


def run_scale(
    chunks: int,
    seed: int = 0,
    questions: int = 200,
    home: Path | None = None,
    tell: Tell = lambda *_: None,
    *,
    chroma: bool = False,
) -> ScaleReport:
    """Build a synthetic library and time every way of searching it.

    Args:
        chunks: how many; a multiple of 100, because the tables come in fives of 20 rows.
        seed: of the library and of the questions.
        questions: half name one row, a quarter two to four, a quarter none; a tenth have a metadata filter.
        home: where the index is built and found again; a temporary folder when None.
        tell: called as the work goes on.
        chroma: whether Chroma itself and the published loop over it are timed in a larger library than has collections
            of its own; in a smaller one they are in any case.
    """
    if chunks < TABLES_TOGETHER * ROWS or chunks % (TABLES_TOGETHER * ROWS):
        raise ValueError(f"{chunks} chunks asked for; give a multiple of {TABLES_TOGETHER * ROWS}")
    if home is None:
        with tempfile.TemporaryDirectory() as folder:
            return run_scale(chunks, seed, questions, Path(folder), tell, chroma=chroma)
    home.mkdir(parents=True, exist_ok=True)
    library = synthetic_library(chunks, seed)
    query = synthetic_questions(library, questions, seed)
    embedder = load_embedder(EMBEDDER)
    with_chroma = chroma or chunks <= EMBEDDED_UP_TO
    index = scale_index(home, library, seed, embedder, tell, single=with_chroma)
    single = SingleCollection(home / "single") if with_chroma else None
    with open_snapshot(home, index.snapshot) as snapshot:
        retriever = Retriever(snapshot, embedder)
        report = _measure(retriever, single, library, query, index, seed, tell)
    if single is not None:
        single.close()
    return report


def _measure(
    retriever: Retriever,
    single: SingleCollection | None,
    library: Sequence[Chunk],
    asked: Sequence[AskedQuestion],
    index: ScaleIndex,
    seed: int,
    tell: Tell,
) -> ScaleReport:
    snapshot = retriever.snapshot
    few = asked[:FEW_QUESTIONS] if len(snapshot) >= SLOW_FROM else asked
    rounds: list[int] = []
    tell("asking", 0, 1)
    measured = measure(searches(retriever, single), asked)
    loop = measure({} if single is None else {"nin_loop": nin_loop(retriever, single, rounds)}, few)
    needed = rounds[-len(few) :]
    ordered = sorted(library, key=lambda chunk: chunk.id)
    ways, slow = lexical_indexes(retriever, [chunk.search_text for chunk in ordered])
    measured |= measure(ways, asked) | loop | measure({"rank_bm25": slow}, few)
    hard = [position for position, count in enumerate(needed) if count >= 3]
    if hard:
        measured["nin_loop, three rounds"] = _at(loop["nin_loop"], hard)
        measured["prefilter, those questions"] = _at(measured["prefilter"], hard)
    plain = None if single is None else measured["chroma_plain"].milliseconds
    return ScaleReport(
        chunks=len(snapshot),
        guarded=snapshot.manifest.n_guarded,
        seed=seed,
        cores=os.cpu_count() or 1,
        python=platform.python_version(),
        load=round(os.getloadavg()[0], 1),
        questions=len(asked),
        questions_of_slow_ways=len(few),
        filtered_questions=sum(question.where is not None for question in asked),
        admitted_p50=float(np.median([_admitted(retriever, question) for question in asked])),
        rounds={str(count): needed.count(count) for count in sorted(set(needed))},
        overhead_ms={} if plain is None else _overhead(measured["prefilter"].milliseconds, plain, needed),
        ann_recall=None if single is None else _recall(retriever, single, asked),
        build_seconds=index.seconds,
        build_cpu_seconds=index.cpu_seconds,
        megabytes={**megabytes(snapshot.folder, asked), "build": index.peak_megabytes},
        keeping_out=sum(not retriever.admitted(_read(retriever, question)).kept_out.is_empty for question in asked),
        own_recall={name: _own_recall(retriever, asked, name) for name in ("dense", "prefilter")},
        timings=tuple(
            _timing(name, times, _exists(retriever, name, times.asked), plain) for name, times in measured.items()
        ),
    )


def _at(measured: Measured, places: Sequence[int]) -> Measured:
    counts = tuple(measured.counts[position] for position in places)
    query = tuple(measured.asked[position] for position in places)
    return Measured(measured.milliseconds[list(places)], measured.cpu[list(places)], counts, query)


def _overhead(prefilter: Milliseconds, plain: Milliseconds, rounds: Sequence[int]) -> dict[str, float]:
    """Median of what prefilter takes longer than a plain query, by the rounds that a question needs."""
    extra, needed = prefilter[: len(rounds)] - plain[: len(rounds)], np.asarray(rounds)
    return {str(count): round(float(np.median(extra[needed == count])), 3) for count in sorted(set(rounds))}


def _timing(name: str, measured: Measured, exists: Sequence[int], plain: Milliseconds | None) -> Timing:
    p50, p95 = (round(float(value), 3) for value in np.percentile(measured.milliseconds, [50, 95]))
    starved = sum(count < min(DEFAULT_K, there) for count, there in zip(measured.counts, exists, strict=True))
    times = None if plain is None else round(float(np.median(measured.milliseconds) / np.median(plain)), 2)
    return Timing(name, p50, p95, times, starved, round(float(np.median(measured.cpu)), 3))


def _exists(retriever: Retriever, name: str, questions: Sequence[AskedQuestion]) -> list[int]:
    """How many chunks each question may have back."""
    size = len(retriever.snapshot)
    if name.startswith(("bm25", "rank", "chroma")) or name in UNFILTERED:
        metadata = retriever.snapshot.metadata
        return [
            int(question.where.mask(metadata).sum()) if question.where and name in UNFILTERED else size
            for question in questions
        ]
    return [int(passing(retriever, question).sum()) for question in questions]


def _read(retriever: Retriever, question: AskedQuestion) -> Query:
    return Query.ask(question.text, retriever.snapshot.vocabulary).among(retriever.snapshot.rivals)


def _admitted(retriever: Retriever, question: AskedQuestion) -> int:
    return len(retriever.snapshot.predicates.admitted(question.text))


def _recall(retriever: Retriever, single: SingleCollection, questions: Sequence[AskedQuestion]) -> float:
    """Share of the true 15 nearest that a plain query finds, ties counted as found."""
    snapshot, hit = retriever.snapshot, 0
    for question in questions:
        vector = retriever.embedder.embed_query(question.text)
        exact = similarity(snapshot.vectors, vector)
        positions = snapshot.chunks.positions(single.nearest(vector, DEFAULT_K))
        hit += int((exact[positions] >= np.sort(exact)[-DEFAULT_K] - 1e-6).sum())
    return round(hit / (DEFAULT_K * len(questions)), 4)


def _own_recall(retriever: Retriever, questions: Sequence[AskedQuestion], name: str) -> float:
    """Share of the true nearest, of what may come back, that a strategy of ours finds; ties counted as found."""
    snapshot, hit, there = retriever.snapshot, 0, 0
    for question in questions:
        where = question.where.mask(snapshot.metadata) if question.where else np.ones(len(snapshot), dtype=np.bool_)
        may = passing(retriever, question) if name == "prefilter" else where
        wanted = min(DEFAULT_K, int(np.count_nonzero(may)))
        exact = similarity(snapshot.vectors, retriever.embedder.embed_query(question.text))
        hits = retriever.retrieve(question.text, DEFAULT_K, name, where=question.where).chunk_ids
        if wanted:
            result = exact[snapshot.chunks.positions(hits)]
            hit += int((result >= np.sort(exact[may])[-wanted] - 1e-6).sum())
            there += wanted
    return round(hit / max(there, 1), 4)
