"""What each part of the search adds: strategies that differ in one thing, asked the same questions."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from evals.metrics import DEPTH, SHOWN, hit, mrr
from evals.questions.question_sets import QuestionSet
from evals.significance import Interval, bootstrap_interval, paired_randomisation
from retrieval.index.snapshot.snapshot import Snapshot
from retrieval.index.words.lexical_index import LexicalIndex
from retrieval.language.terms import question_tokenizer, tokenizer
from retrieval.language.vocabulary import Vocabulary
from retrieval.search.fusion import best
from retrieval.search.retriever import Retriever
from retrieval.search.strategies import strategy
from retrieval.strategy import Strategy
from retrieval.types import Chunk, Embedder
from retrieval.understand.decompose.rounds import IterativeRetriever
from tools.bench.run import ScoringSearcher
from tools.corpora.books import Corpus
from tools.corpora.indexes import Tell, open_index

ALIASED, UNALIASED = "bm25, aliases on", "bm25, aliases off"
APART = "default, decomposed"
WAYS: Mapping[str, str] = {UNALIASED: ALIASED, APART: "default"}
"""Each way and what it is compared with."""

Ask = Callable[[str, str], Sequence[str]]
"""(id of a question, its text) -> chunk ids."""


def ways(searcher: Retriever, questions: QuestionSet, chunks: Sequence[Chunk]) -> Mapping[str, Callable[[], Ask]]:
    """Every way by its name, with that of `WAYS` which is compared with and is not a strategy either.

    A set that puts its questions in a way of its own is asked by words alone.
    """
    vocabulary = searcher.snapshot.vocabulary
    ways: dict[str, Callable[[], Ask]] = {
        ALIASED: lambda: _lexical(chunks, vocabulary),
        UNALIASED: lambda: _lexical(chunks, Vocabulary()),
    }
    if questions.ask is None:
        ways[APART] = lambda: _apart(searcher)
    return ways


def _lexical(chunks: Sequence[Chunk], vocabulary: Vocabulary) -> Ask:
    """BM25 whose tokens fold the vocabulary's labels and aliases, or fold nothing where it has none."""
    index = LexicalIndex.build([chunk.search_text for chunk in chunks], tokenizer(vocabulary))
    index = replace(index, ask=question_tokenizer(vocabulary))
    return lambda _, query: [chunks[position].id for position in best(index.scores(query), DEPTH).tolist()]


def _apart(searcher: Retriever) -> Ask:
    """A comparison part by part, any other question as it is."""
    rounds = IterativeRetriever(searcher)

    def ask(_: str, query: str) -> Sequence[str]:
        if len(rounds.decomposer.decompose(query).sub_queries) == 1:
            return searcher.retrieve(query, DEPTH, "default").chunk_ids
        return [hit.chunk.id for hit in rounds.retrieve(query, DEPTH).hits]

    return ask


BASELINES: Mapping[str, str] = {
    "bm25": "default",
    "dense": "default",
    "hybrid_graph": "hybrid",
    "hybrid": "default",
    "default-query_must": "default",
}
"""Each strategy that is tried and what it is compared with: the one that differs in one thing."""
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
        return cls(float(np.mean(values)), bootstrap_interval(values))


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
        query: dict[str, list[Values]] = {}
        for corpus in members:
            with open_index(folder, name, corpus, embedder, tell) as snapshot:
                _ask_corpus(query, corpus, snapshot, embedder, tell)
        tried = {*BASELINES, *BASELINES.values(), *WAYS, *WAYS.values()}
        trials += [_trial(name, trial, query) for trial in query if trial in tried]
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
        asked.setdefault(trial, []).extend(_scored(questions, _searching(questions, searcher, strategy(trial))))
    for trial, way in ways(searcher, questions, chunks).items():
        asked.setdefault(trial, []).extend(_scored(questions, way()))


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
    numbers = {metric: Number.of([scores[metric] for scores in values[trial]]) for metric in METRICS}
    mine = [scores["mrr"] for scores in values[trial]]
    if baseline is None:
        return Trial(name, trial, len(mine), numbers, None, None, None)
    theirs = [scores["mrr"] for scores in values[baseline]]
    difference = Number.of([a - b for a, b in zip(mine, theirs, strict=True)])
    return Trial(name, trial, len(mine), numbers, baseline, difference, paired_randomisation(mine, theirs))


NOTES = {
    "bm25": "BM25 alone",
    "dense": "vectors alone",
    "hybrid": "BM25 and vectors, no re-ranking, no filter",
    "hybrid_graph": "graph boost over all six relations",
    "default-query_must": "`default` without the filter",
    APART: "comparisons are [decomposed](../explanation/decomposition.md); other questions are not",
    UNALIASED: "labels and aliases are not folded (`armour class` is not `ac`)",
}
REMARKS = {
    APART: "MRR does not show its gain, which is that both answers are among the first four; `querymust ask` uses it",
    UNALIASED: "kept because predicates and names need them",
    "bm25": "a part of `default`",
    "dense": "a part of `default`",
    "hybrid": "both are parts of `default`",
    "default-query_must": "if it is worse, the filter is a gain",
}
"""What a verdict means for `default`, if that is not obvious."""
_LEFT_OUT = Path(__file__).parent / "left_out.md"
"""What was measured and left out, with the numbers of the time; nothing can measure it again."""
_INTRO = """# What each part of the search adds

`python -m tools bench ablation` writes this page from the {split} questions with gold and the embedder {embedder}. Do
not edit it by hand. Each line compares two strategies that differ in one part. *Difference* is the difference of their
MRR, paired by question, with its 95 % bootstrap interval. *p* comes from a paired randomisation test. `default` keeps a
part if at least one set gains more than its interval and no set loses more. The trees of `default` were learned on
these questions ([trees](trees.md)), so comparisons *with* `default` favour it. Comparisons with `hybrid` do not.

The code is in `retrieval/search/fusion.py`, `retrieval/index/graph.py` and `retrieval/search/ranking.py`.
"""


def ablation_page(ablation: Ablation) -> str:
    """The page as markdown."""
    parts = [_INTRO.format(split=ablation.split, embedder=ablation.embedder), "## Verdicts\n", _verdicts(ablation)]
    parts += ["", _LEFT_OUT.read_text("utf-8")]
    parts.append("\n## Every set\n")
    for name in dict.fromkeys(trial.set for trial in ablation.trials):
        parts += [f"### {name}\n", _set_table([trial for trial in ablation.trials if trial.set == name])]
    return "\n".join(parts).rstrip() + "\n"


def verdict(trials: Sequence[Trial]) -> str:
    """Whether a thing is kept and why, from its trials on all sets; sets are named where they differ beyond chance."""
    better = [trial.set for trial in trials if trial.difference and trial.difference.interval.low > 0]
    worse = [trial.set for trial in trials if trial.difference and trial.difference.interval.high < 0]
    if worse:
        return f"no: worse on {', '.join(worse)}" + (f", better on {', '.join(better)}" if better else "")
    return f"yes: better on {', '.join(better)}, worse nowhere" if better else "no: no set differs beyond its interval"


def _verdicts(ablation: Ablation) -> str:
    lines = ["| strategy | what it is | compared with | verdict |", "|---|---|---|---|"]
    for name, about in NOTES.items():
        trials = [trial for trial in ablation.trials if trial.strategy == name]
        if trials:
            remark = f"; {REMARKS[name]}" if name in REMARKS else ""
            lines.append(f"| {_code(name)} | {about} | {_code(trials[0].baseline or '')} | {verdict(trials)}{remark} |")
    return "\n".join(lines) + "\n"


def _set_table(trials: Sequence[Trial]) -> str:
    lines = [
        f"{trials[0].n} questions.",
        "",
        "| strategy | hit@1 | hit@10 | MRR | compared with | difference | p |",
        "|---|---:|---:|---:|---|---:|---:|",
    ]
    for trial in trials:
        numbers = " | ".join(_number(trial.numbers[name]) for name in ("hit@1", "hit@10", "mrr"))
        compared = "| - | - | - |"
        if trial.difference is not None and trial.p is not None:
            compared = f"| {_code(trial.baseline or '')} | {_number(trial.difference, sign='+')} | {trial.p:.3f} |"
        lines.append(f"| {_code(trial.strategy)} | {numbers} {compared}")
    return "\n".join(lines) + "\n"


def _code(name: str) -> str:
    return name if name in {ALIASED, UNALIASED, APART} else f"`{name}`"


def _number(number: Number, sign: str = "") -> str:
    return f"{number.value:{sign}.3f} ({number.interval.low:{sign}.3f} to {number.interval.high:{sign}.3f})"
