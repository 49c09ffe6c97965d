"""What each part of the search adds: strategies that differ in one thing, asked the same questions."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from evals.benchmarks.corpus import Corpus
from evals.benchmarks.parsed_chunks import ScoringSearcher
from evals.metrics import DEPTH, SHOWN, hit, mrr
from evals.questions.question_sets import QuestionSet
from evals.statistics.significance import Interval, bootstrap_interval, paired_randomisation
from pipeline.bench.ablation.ways import WAYS, Ask, ways
from pipeline.bench.index import Tell, open_index
from retrieval.index.snapshot.snapshot import Snapshot
from retrieval.search.evidence.weights import WEIGHTS
from retrieval.search.retriever import Retriever
from retrieval.search.strategies import strategy
from retrieval.strategy import Strategy
from retrieval.types import Embedder

BASELINES: Mapping[str, str] = {
    "bm25": "default",
    "dense": "default",
    "hybrid_graph": "hybrid",
    "hybrid": "default",
    "default-query_must": "default",
    "default-names": "default",
}
"""Each strategy that is tried and what it is compared with: the one that differs in one thing."""
_NAMELESS = replace(
    strategy("default"),
    name="default-names",
    evidence=replace(WEIGHTS, name=0.0, heading=0.0, quote=0.0, figure=0.0, number=0.0, axis=0.0, sibling=0.0),
    second_look=False,
)
"""What ships, by the sum of the evidence alone, without what the question calls a chunk."""
METRICS = {"mrr": mrr(), "hit@1": hit(1), "hit@10": hit(10)}

Values = Mapping[str, float]
"""Metric to value, of one question."""


@dataclass(frozen=True, slots=True)
class Number:
    """A mean over questions with its 95 % bootstrap interval."""

    value: float
    interval: Interval

    @classmethod
    def of(cls, values: Sequence[float]) -> "Number":
        """The mean of at least one value."""
        interval = bootstrap_interval(values)
        return cls(float(np.mean(values)), interval or Interval(float("nan"), float("nan")))


@dataclass(frozen=True, slots=True)
class Trial:
    """One strategy on one set. Key: (set, strategy)."""

    set: str
    strategy: str
    n: int
    numbers: Mapping[str, Number]
    baseline: str | None
    difference: Number | None
    """Of MRR, paired by question."""
    p: float | None
    """Two-sided, paired randomisation."""


@dataclass(frozen=True, slots=True)
class Ablation:
    """Everything that the page says."""

    split: str
    embedder: str
    trials: tuple[Trial, ...]


def run_ablation(
    folder: Path, corpora: Mapping[str, Sequence[Corpus]], split: str, embedder: Embedder, tell: Tell = lambda *_: None
) -> Ablation:
    """Ask every trial and its baseline every question with gold, and compare them in pairs.

    Args:
        folder: folder of the benchmarks' indexes.
        corpora: by set, what `benchmarks_under` gave.
        split: which questions these are.
        embedder: makes the vectors.
        tell: called as the work goes on.
    """
    trials: list[Trial] = []
    for name, members in corpora.items():
        asked: dict[str, list[Values]] = {}
        for corpus in members:
            with open_index(folder, name, corpus, embedder, tell) as snapshot:
                _ask_corpus(asked, corpus, snapshot, embedder, tell)
        tried = {*BASELINES, *BASELINES.values(), *WAYS, *WAYS.values()}
        trials += [_trial(name, each, asked) for each in asked if each in tried]
    identity = embedder.identity
    return Ablation(split, f"{identity.name} {identity.version}", tuple(trials))


def _ask_corpus(
    asked: dict[str, list[Values]], corpus: Corpus, snapshot: Snapshot, embedder: Embedder, tell: Tell
) -> None:
    chunks = tuple(snapshot.chunks)
    searcher = ScoringSearcher(Retriever(snapshot, embedder), chunks, timed=SHOWN).parsed
    questions = corpus.question_sets(searcher, chunks)[0]
    for trial in dict.fromkeys((*BASELINES, *BASELINES.values())):
        tell(f"{corpus.name}, {trial}", 0, 1)
        asked.setdefault(trial, []).extend(_scored(questions, _searching(questions, searcher, _strategy(trial))))
    for trial, way in ways(searcher, questions, chunks).items():
        asked.setdefault(trial, []).extend(_scored(questions, way()))


def _strategy(trial: str) -> Strategy:
    return _NAMELESS if trial == _NAMELESS.name else strategy(trial)


def _searching(questions: QuestionSet, searcher: Retriever, chosen: Strategy) -> Ask:
    by_id = {question.id: question for question in questions.questions}

    def ask(identity: str, query: str) -> Sequence[str]:
        if questions.ask:
            return questions.ask(by_id[identity], DEPTH, chosen).chunk_ids
        return searcher.retrieve(query, DEPTH, chosen).chunk_ids

    return ask


def _scored(questions: QuestionSet, ask: Ask) -> Iterator[Values]:
    for question in questions.scored:
        if questions.gold(question):
            judgement = questions.judge(question, ask(question.id, question.query))
            yield {name: metric(judgement) for name, metric in METRICS.items()}


def _trial(name: str, trial: str, values: Mapping[str, list[Values]]) -> Trial:
    baseline = WAYS.get(trial) or BASELINES.get(trial)
    numbers = {metric: Number.of([each[metric] for each in values[trial]]) for metric in METRICS}
    mine = [each["mrr"] for each in values[trial]]
    if baseline is None:
        return Trial(name, trial, len(mine), numbers, None, None, None)
    theirs = [each["mrr"] for each in values[baseline]]
    difference = Number.of([a - b for a, b in zip(mine, theirs, strict=True)])
    return Trial(name, trial, len(mine), numbers, baseline, difference, paired_randomisation(mine, theirs))
