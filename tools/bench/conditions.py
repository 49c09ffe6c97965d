"""Questions that state conditions: which documents come back, and how long it takes, one at a time and many at once."""

import asyncio
import os
import platform
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from datetime import date
from itertools import cycle, islice
from pathlib import Path
from threading import Barrier
from typing import Any

import numpy as np

from evals.relaxation import relaxation_of
from retrieval.clock import Clock
from retrieval.search.retriever import Retriever
from retrieval.types import Embedder
from retrieval.understand.self_query.conditions import SelfQueryConfig
from retrieval.understand.self_query.documents import FoundDocument
from retrieval.understand.self_query.retriever import SelfQueryRetriever
from tools.corpora.books import read_records
from tools.corpora.documents import DocumentsCorpus
from tools.corpora.indexes import Tell, open_index


@dataclass(frozen=True, slots=True)
class Latency:
    """Milliseconds of a question, and how many are answered in a second."""

    p50_ms: float
    p95_ms: float
    per_second: float


@dataclass(frozen=True, slots=True)
class ConditionsReport:
    """One run. Key: documents, questions, today."""

    questions: int
    documents: int
    today: str
    embedder: str
    macro_f1: float
    """Of the documents, mean over the questions that have conditions and no topic."""
    precision: float
    """Share of gold among as many documents as are gold, mean over the questions with a topic."""
    unfiltered: float
    """Of the questions that state no condition, the share of those that none was read in."""
    relaxation_rate: float
    """Of the questions that state conditions, the share of those that lost one."""
    at_once: int
    alone: Latency
    """One question after the other."""
    together: Latency
    """So many as `at_once` at the same moment, a thread each; a question's time includes its waiting."""
    cores: int
    python: str
    load: float
    """Load average of the machine when it was over: above `cores`, others were at work."""

    def lines(self) -> Iterator[str]:
        """Two markdown tables, and a sentence about the machine."""
        measured = ("macro F1, no topic", "precision, with a topic", "no condition found where there is none")
        yield f"| questions | {' | '.join(measured)} | relaxation rate |"
        yield "|---:|---:|---:|---:|---:|"
        yield (
            f"| {self.questions} | {self.macro_f1:.3f} | {self.precision:.3f} | {self.unfiltered:.3f} "
            f"| {self.relaxation_rate:.3f} |"
        )
        yield ""
        yield "| asked | p50 ms | p95 ms | questions per second |"
        yield "|---|---:|---:|---:|"
        for name, times in (("one at a time", self.alone), (f"{self.at_once} concurrently", self.together)):
            yield f"| {name} | {times.p50_ms:.1f} | {times.p95_ms:.1f} | {times.per_second:.1f} |"
        one, many = self.alone, self.together
        yield (
            f"| ratio | {many.p50_ms / one.p50_ms:.1f} | {many.p95_ms / one.p95_ms:.1f} "
            f"| {many.per_second / one.per_second:.2f} |"
        )
        yield ""
        yield (
            f"{self.documents} documents, {self.today}, embedder {self.embedder}; {self.cores} cores, "
            f"Python {self.python}, load average at the end {self.load:g}."
        )


AT_ONCE = 50
ROUNDS = 5
TOP_K = 10
WITHOUT = frozenset({"no-filter", "trap"})
"""Kinds of questions that state no condition."""


@dataclass(frozen=True, slots=True)
class Asked:
    """A question with the documents that answer it. Key: query."""

    query: str
    kind: str
    gold: frozenset[str]
    has_topic: bool


def run_conditions(
    folder: Path,
    corpus: DocumentsCorpus,
    today: date,
    embedder: Embedder,
    tell: Tell = lambda *_: None,
    at_once: int = AT_ONCE,
    rounds: int = ROUNDS,
) -> ConditionsReport:
    """Ask every question and judge its documents; then time the questions.

    Args:
        folder: folder of the benchmarks' indexes.
        corpus: documents and questions.
        today: what `last month` goes back from.
        embedder: makes the vectors.
        tell: called as the work goes on.
        at_once: how many questions are asked at the same moment.
        rounds: how often so many are asked one at a time and at once.
    """
    questions = list(read_records(corpus.queries, _asked))
    with open_index(folder, corpus.set, corpus, embedder, tell) as snapshot:
        # Every question is read anew: one that was kept would take no time.
        config = SelfQueryConfig(cache_analysis=False)
        retriever = SelfQueryRetriever(Retriever(snapshot, embedder), config=config, today=lambda: today)
        tell("asking", 0, 1)
        understood = {question.query: asyncio.run(retriever.understand(question.query)) for question in questions}
        f1 = [
            _f1(question.gold, _names(understood[question.query].documents))
            for question in questions
            if not question.has_topic
        ]
        precision = [_precision(retriever, question) for question in questions if question.has_topic and question.gold]
        unread = [
            float(not understood[question.query].conditions) for question in questions if question.kind in WITHOUT
        ]
        relaxation = relaxation_of(retriever, (question.query for question in questions))
        alone, together = _timed(retriever, [question.query for question in questions], at_once, rounds, tell)
    return ConditionsReport(
        questions=len(questions),
        documents=retriever.catalog.n_documents,
        today=today.isoformat(),
        embedder=f"{embedder.identity.name} {embedder.identity.version}",
        macro_f1=_mean(f1),
        precision=_mean(precision),
        unfiltered=_mean(unread),
        relaxation_rate=round(relaxation.rate or 0.0, 4),
        at_once=at_once,
        alone=alone,
        together=together,
        cores=os.cpu_count() or 1,
        python=platform.python_version(),
        load=round(os.getloadavg()[0], 1),
    )


def _asked(record: Mapping[str, Any]) -> Asked:
    return Asked(record["query"], record["kind"], frozenset(record["gold"]), bool(record["semantic"]))


def _names(documents: Iterable[FoundDocument]) -> frozenset[str]:
    return frozenset(document.document for document in documents)


def _f1(gold: Collection[str], found: Collection[str]) -> float:
    both = len(set(gold) & set(found))
    return 2 * both / (len(gold) + len(found)) if gold or found else 1.0


def _precision(retriever: SelfQueryRetriever, asked: Asked) -> float:
    """Share of gold among as many documents as are gold."""
    names = _names(retriever.retrieve_sync(asked.query, len(asked.gold)).documents)
    return len(asked.gold & names) / len(asked.gold)


def _mean(values: Sequence[float]) -> float:
    return round(float(np.mean(values)), 4) if values else 0.0


def _timed(
    retriever: SelfQueryRetriever, queries: Sequence[str], at_once: int, rounds: int, tell: Tell
) -> tuple[Latency, Latency]:
    """Both ways in turn, so that what else the machine does meets them alike."""
    query = list(islice(cycle(queries), at_once))
    times: tuple[list[float], list[float]] = [], []
    seconds = [0.0, 0.0]
    gate = Barrier(at_once)

    def ask(text: str) -> float:
        clock = Clock()
        retriever.retrieve_sync(text, TOP_K)
        return clock.milliseconds

    def ask_with_others(text: str) -> float:
        gate.wait()
        return ask(text)

    with ThreadPoolExecutor(at_once) as threads:
        ways: tuple[Callable[[], Iterable[float]], ...] = (
            lambda: map(ask, query),
            lambda: threads.map(ask_with_others, query),
        )
        for number in range(rounds):
            tell("timing", number, rounds)
            for position, way in enumerate(ways):
                clock = Clock()
                times[position].extend(way())
                seconds[position] += clock.seconds
    return _latency(times[0], seconds[0]), _latency(times[1], seconds[1])


def _latency(times: Sequence[float], seconds: float) -> Latency:
    p50, p95 = (round(float(value), 3) for value in np.percentile(times, [50, 95]))
    return Latency(p50, p95, round(len(times) / seconds, 2))
