"""The weights of the evidence: fitted on judged questions and cross-validated by book."""

import json
import random
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

from evals.benchmarks.books import BookCorpus, Corpus, read_books
from evals.benchmarks.sets import benchmarks_under
from evals.fit.corpus_index import Tell, open_index
from evals.gate import worse_groups
from evals.metrics import SHOWN
from evals.questions.question_sets import QuestionSet
from evals.sample import SAMPLE_LIBRARY, SAMPLE_QUESTIONS, SHELF
from retrieval.ingest.library.library import list_books
from retrieval.search.evidence import PARTS, WEIGHTS, WEIGHTS_FILE, Cosines, gather
from retrieval.search.query import Query
from retrieval.search.retriever import Retriever
from retrieval.strategy import EvidenceWeights
from retrieval.types import Chunk, Embedder

Floats = npt.NDArray[np.float64]

SIBLING = PARTS.index("sibling")
DEMOTIONS = (0.0, -0.5, -1.0, -1.5, -2.0, -3.0)
"""Weights of `sibling` that are tried."""

LOST_MRR, LOST_RECALL = 0.003, 0.01
"""What a demotion may cost any group."""

POOL = 120
"""Candidates of a question: that many best of each part, and the gold."""

STEPS, BATCH, RATE, SHARPNESS = 500, 192, 0.02, 10.0
_DECIMALS = 2


@dataclass(frozen=True, slots=True, eq=False)
class JudgedCandidates:
    """One question's candidates: their evidence, and which of them answer it."""

    kind: str
    evidence: npt.NDArray[np.float32]
    """(parts, candidates); candidates in the order of their positions."""
    gold: npt.NDArray[np.bool_]
    """(candidates,)."""
    noise: npt.NDArray[np.bool_]
    """(candidates,): rows of a gold row's table or of a twin of it that are not gold."""

    def order(self, weights: Floats) -> npt.NDArray[np.int64]:
        """Candidates from best to worst; equal scores by position."""
        scores = np.round(weights @ self.evidence, 9)
        return np.lexsort((np.arange(len(scores)), -scores))

    def rank(self, weights: Floats) -> int:
        """1-based rank of the best gold candidate."""
        return int(np.flatnonzero(self.gold[self.order(weights)])[0]) + 1


@dataclass(frozen=True, slots=True)
class Score:
    """Means over a group's questions."""

    hit_1: float
    hit_10: float
    mrr: float
    recall_10: float
    noise: float
    """Rows of the right tables among the first 15 that do not answer."""
    n: int


@dataclass(frozen=True, slots=True)
class Fold:
    """One group, scored by weights that were fitted without it, with it, and by BM25 among the same candidates: those
    that query_must admits. Key: group."""

    group: str
    held_out: Score
    fitted: Score
    bm25: Score


@dataclass(frozen=True, slots=True)
class Bend:
    """Mean MRR over the groups when one weight is multiplied by a factor. Key: (part, factor)."""

    part: str
    factor: float
    mrr: float


def judged_questions(
    retriever: Retriever, questions: QuestionSet, chunks: Sequence[Chunk]
) -> Iterator[JudgedCandidates]:
    """The questions of a set that have gold in the index, with the evidence of their candidates.

    Guarded chunks whose predicate the question refuses are not candidates, nor are unexplained ones; gold always is.

    Args:
        retriever: over the index.
        questions: the set.
        chunks: those of the index, in the order of their positions.
    """
    snapshot = retriever.snapshot
    twins = np.asarray([chunk.signature or f"alone {chunk.id}" for chunk in chunks])
    everywhere = np.arange(len(snapshot))
    for each in questions.scored:
        gold = snapshot.chunks.positions(list(questions.gold(each)))
        if not len(gold):
            continue
        query = Query.of(each.query, snapshot)
        dense = Cosines(snapshot.vectors, retriever.embedder.embed_query(each.query))
        result = gather(snapshot, query, snapshot.lexical.scores(each.query), dense).at(everywhere)
        evidence = np.stack([result[name] for name in PARTS]).astype(np.float32)
        pool = min(POOL, len(snapshot) - 1)
        best = [np.argpartition(-part, pool)[:pool] for part in evidence]
        candidates = np.unique(np.concatenate([*best, gold]))
        allowed = retriever.admitted(query).mask(snapshot)
        allowed[gold] = True
        allowed[snapshot.chunks.positions(sorted(questions.unexplained.get(each.id, ())))] = False
        candidates = candidates[allowed[candidates]]
        is_gold = np.isin(candidates, gold)
        noise = np.isin(twins[candidates], twins[gold]) & ~is_gold
        yield JudgedCandidates(each.kind, evidence[:, candidates], is_gold, noise)


def fit(groups: Mapping[str, Sequence[JudgedCandidates]], seed: int = 0) -> EvidenceWeights:
    """Weights that make gold the most likely candidate, none negative but `sibling`; every group counts the same.

    Maximises the log of the softmax share of the gold candidates (listwise, Cao et al. 2007, "Learning to Rank: From
    Pairwise Approach to Listwise Approach") by stochastic gradient steps (Adam, Kingma and Ba 2015) from equal weights.
    `sibling` is there against noise, which the ranks of gold do not show: it gets the value with the least noise among
    those that cost no group more than a little of its MRR and recall.
    """
    random = np.random.default_rng(seed)
    questions = [each for group in sorted(groups) for each in groups[group]]
    share = np.concatenate([np.full(len(groups[group]), 1 / len(groups[group])) for group in sorted(groups)])
    weights = np.full(len(PARTS), 0.4)
    weights[SIBLING] = 0.0
    mean, spread = np.zeros(len(PARTS)), np.zeros(len(PARTS))
    for step in range(1, STEPS + 1):
        batch = random.choice(len(questions), min(BATCH, len(questions)), p=share / share.sum())
        slope = np.mean([_slope(weights, questions[position]) for position in batch], axis=0)
        mean, spread = 0.9 * mean + 0.1 * slope, 0.99 * spread + 0.01 * slope**2
        push = (mean / (1 - 0.9**step)) / (np.sqrt(spread / (1 - 0.99**step)) + 1e-8)
        weights = np.maximum(weights + RATE * push, 0.0)
        weights[SIBLING] = 0.0
    rounded = (round(float(weight), _DECIMALS) for weight in weights)
    return _demoted(EvidenceWeights(**dict(zip(PARTS, rounded, strict=True))), groups)


def _demoted(weights: EvidenceWeights, groups: Mapping[str, Sequence[JudgedCandidates]]) -> EvidenceWeights:
    plain = {name: score(weights, groups[name]) for name in groups}
    best, least = weights, float(np.mean([result.noise for result in plain.values()]))
    for demotion in DEMOTIONS[1:]:
        tried = replace(weights, sibling=demotion)
        results = {name: score(tried, groups[name]) for name in groups}
        noise = float(np.mean([result.noise for result in results.values()]))
        cheap = all(
            plain[name].mrr - results[name].mrr <= LOST_MRR
            and plain[name].recall_10 - results[name].recall_10 <= LOST_RECALL
            for name in groups
        )
        if cheap and noise < least:
            best, least = tried, noise
    return best


def _slope(weights: Floats, question: JudgedCandidates) -> Floats:
    scores = SHARPNESS * (weights @ question.evidence)
    likely = np.exp(scores - scores.max())
    right = np.where(question.gold, likely, 0.0)
    slope: Floats = question.evidence @ (right / (right.sum() + 1e-12) - likely / likely.sum())
    return slope


def score(weights: EvidenceWeights, questions: Iterable[JudgedCandidates]) -> Score:
    """Score weights on questions; at least one."""
    values = np.asarray([weight for _, weight in weights.items()])
    orders = [(question, question.order(values)) for question in questions]
    ranks = np.asarray([int(np.flatnonzero(each.gold[order])[0]) + 1 for each, order in orders])
    recall = np.mean([each.gold[order[:10]].sum() / each.gold.sum() for each, order in orders])
    noise = np.mean([each.noise[order[:SHOWN]].sum() for each, order in orders])
    return Score(
        float((ranks == 1).mean()),
        float((ranks <= 10).mean()),
        float((1 / ranks).mean()),
        float(recall),
        float(noise),
        len(ranks),
    )


def cross_validate(
    groups: Mapping[str, Sequence[JudgedCandidates]],
    fitted: EvidenceWeights,
    seed: int = 0,
    tell: Callable[[str], None] = lambda _: None,
) -> tuple[Fold, ...]:
    """Leave one group out at a time: what the weights are worth on a book that had no say in them; of one, nothing."""
    folds: list[Fold] = []
    if len(groups) < 2:
        return ()
    for held in sorted(groups):
        tell(held)
        others = fit({name: questions for name, questions in groups.items() if name != held}, seed)
        own = groups[held]
        bm25 = EvidenceWeights(lexical=1.0)
        folds.append(Fold(held, score(others, own), score(fitted, own), score(bm25, own)))
    return tuple(folds)


def curves(
    groups: Mapping[str, Sequence[JudgedCandidates]],
    weights: EvidenceWeights,
    factors: Sequence[float] = (0.0, 0.5, 0.75, 1.0, 1.33, 2.0),
) -> tuple[Bend, ...]:
    """How much each weight matters: mean MRR over the groups with that weight alone changed."""
    bends = []
    for part, weight in weights.items():
        for factor in factors:
            bent = replace(weights, **{part: weight * factor})
            mrr = float(np.mean([score(bent, groups[name]).mrr for name in sorted(groups)]))
            bends.append(Bend(part, factor, mrr))
    return tuple(bends)


SAMPLE = "sample"
PASSAGES = "passages"

Asked = TypeVar("Asked")
Item = TypeVar("Item")


@dataclass(frozen=True, slots=True)
class WeightsReport:
    """Fitted weights and what they are worth."""

    weights: EvidenceWeights
    folds: tuple[Fold, ...]
    bends: tuple[Bend, ...]
    refused: tuple[str, ...] = ()
    """What the gate has against them in place of those that ship, a sentence for each group; both saw all groups."""

    def write(self, docs: Path, weights_file: Path = WEIGHTS_FILE) -> None:
        """Ship the weights, and write `weights.md` about them."""
        weights_file.write_text(json.dumps(asdict(self.weights), indent=2) + "\n", encoding="utf-8")
        docs.mkdir(parents=True, exist_ok=True)
        (docs / "weights.md").write_text(self.page(), encoding="utf-8")

    def to_json(self) -> dict[str, Any]:
        """For `--json`."""
        return asdict(self)

    def page(self) -> str:
        """Markdown: the weights with their curves, and every group held out, fitted and by BM25."""
        lines = [
            "# Evidence weights",
            "",
            "`querymust fit weights` writes this page. In first-stage retrieval of `default`, the score of a chunk is",
            "the weighted sum of these parts, each between 0 and 1. `retrieval/strategy.py` defines the parts. No",
            "weight is set by hand.",
            "",
            "## Sensitivity",
            "",
            "The table shows the mean MRR over the groups below if a single weight is multiplied by a factor.",
            "",
            *self._curve_table(),
            "",
            "## Held-out groups",
            "",
            "The cells show hit@1 / hit@10 / MRR / noise@15. *Held out* is the score of weights that were fitted on",
            "all other groups. *Shipped* is the score of weights that were fitted on all groups. *BM25, filtered* is",
            "the score of BM25 over the chunks that pass the filter.",
            "",
            "| group | questions | held out | shipped | BM25, filtered |",
            "|---|---|---|---|---|",
            *map(_fold_row, self.folds),
            "",
        ]
        return "\n".join(lines)

    def _curve_table(self) -> list[str]:
        factors = sorted({bend.factor for bend in self.bends})
        result = {(bend.part, bend.factor): bend.mrr for bend in self.bends}
        head = " | ".join(f"x {factor:g}" for factor in factors)
        rows = [
            f"| {part} | {weight:g} | {' | '.join(f'{result[part, factor]:.3f}' for factor in factors)} |"
            for part, weight in self.weights.items()
        ]
        return [f"| part | weight | {head} |", f"|---|---|{'---|' * len(factors)}", *rows]


def _fold_row(fold: Fold) -> str:
    scores = " | ".join(map(_score, (fold.held_out, fold.fitted, fold.bm25)))
    return f"| {fold.group} | {fold.fitted.n} | {scores} |"


def _score(found: Score) -> str:
    return f"{found.hit_1:.3f} / {found.hit_10:.3f} / {found.mrr:.3f} / {found.noise:.1f}"


def fit_weights(
    home: Path, data: Path, split: str, embedder: Embedder, seed: int = 0, tell: Tell = lambda *_: None
) -> WeightsReport:
    """Fit on every benchmark under `data` that has the split, and on the sample book; each book is a group.

    Raises:
        BenchmarkDataError: there is no benchmark under `data` with such a split.
    """
    groups = by_group(home, learned_from(data, split), embedder, tell, _judged)
    tell("fitting", 0, 1)
    weights = fit(groups, seed)
    folds = cross_validate(groups, weights, seed, lambda held: tell(f"fitting without {held}", 0, 1))
    values, shipping = (np.asarray([weight for _, weight in each.items()]) for each in (weights, WEIGHTS))
    ranks = {
        name: ([each.rank(values) for each in group], [each.rank(shipping) for each in group])
        for name, group in groups.items()
    }
    return WeightsReport(weights, folds, curves(groups, weights), worse_groups(ranks))


def _judged(name: str, corpus: Corpus, retriever: Retriever, chunks: Sequence[Chunk]) -> Iterator[JudgedCandidates]:
    for each in searched_sets(name, corpus, retriever, chunks):
        yield from judged_questions(retriever, each, chunks)


def by_group(
    home: Path,
    corpora: Iterable[tuple[str, Corpus]],
    embedder: Embedder,
    tell: Tell,
    asked: Callable[[str, Corpus, Retriever, Sequence[Chunk]], Iterable[Asked]],
) -> dict[str, tuple[Asked, ...]]:
    """What is fitted or learned on, by the name of the corpus; one that gives nothing is no group.

    Args:
        home: the indexes are kept under it.
        corpora: those of `learned_from`.
        embedder: makes the vectors.
        tell: called as the work goes on.
        asked: from the name of a set, its corpus, a retriever over the corpus and its chunks.
    """
    groups: dict[str, tuple[Asked, ...]] = {}
    for name, corpus in corpora:
        tell(f"{name}, {corpus.name}", 0, 1)
        with open_index(home, name, corpus, embedder, tell) as snapshot:
            result = tuple(asked(name, corpus, Retriever(snapshot, embedder), tuple(snapshot.chunks)))
        if result:
            groups[corpus.name] = result
    return groups


def searched_sets(name: str, corpus: Corpus, retriever: Retriever, chunks: Sequence[Chunk]) -> list[QuestionSet]:
    """The sets of a corpus but those asked within one table, which show other candidates than a search does."""
    return [each for each in corpus.question_sets(retriever, chunks) if each.ask is None or name == PASSAGES]


def learned_from(data: Path, split: str) -> list[tuple[str, Corpus]]:
    """What is fitted and learned on, each with the name of its set: all sets under a folder, the shelf, the sample.

    Raises:
        BenchmarkDataError: there is no set under `data` with such a split.
    """
    (book,) = list_books(SAMPLE_LIBRARY)
    sample = BookCorpus(SAMPLE, SAMPLE, book, SAMPLE_QUESTIONS)
    result = benchmarks_under(data, split).corpora
    shelf = read_books(SHELF, "open") if SHELF.is_dir() else ()
    return [
        *((name, corpus) for name, corpora in result.items() for corpus in corpora),
        *((SHELF.name, corpus) for corpus in shelf),
        (SAMPLE, sample),
    ]


def drawn(items: Sequence[Item], most: int, seed: int) -> list[Item]:
    """At most so many of some items, in the order in which they are drawn."""
    return random.Random(seed).sample(items, min(most, len(items)))
