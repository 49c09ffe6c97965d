"""One benchmark from its files to numbers: every corpus indexed, every question asked, all corpora summed up."""

from collections.abc import Callable, Iterable, Sequence
from copy import copy
from dataclasses import dataclass
from pathlib import Path
from typing import cast

from evals.aggregates import Aggregate, aggregate, evaluability, timings
from evals.experiment import Measurement, Progress, run_experiment
from evals.metrics import SHOWN
from evals.noise import Admits, Surroundings
from evals.questions.gold import AnchorFinding, Resolution
from evals.questions.question_sets import QuestionSet, Unscored
from evals.score_store import ScoreStore
from evals.scored_questions import ScoredQuestion
from retrieval.clock import Clock
from retrieval.errors import UnknownNameError
from retrieval.index.snapshot.chunk_file import ChunkFile
from retrieval.index.snapshot.snapshot import Snapshot
from retrieval.index.words.word_vectors import WORD_EMBEDDER
from retrieval.query_must.predicate import satisfies_query_must
from retrieval.search.retriever import Retriever
from retrieval.search.strategies import STRATEGIES, VARIANTS, scored, strategy
from retrieval.strategy import Strategy
from retrieval.types import Chunk, Embedder, Retrieval
from tools.corpora.books import Corpus, LibraryBook
from tools.corpora.fts5 import REFERENCE, retriever_for, why_missing
from tools.corpora.indexes import Tell, open_index
from tools.corpora.passages import with_graded_ndcg


@dataclass(frozen=True, slots=True, eq=False)
class _ParsedChunks(ChunkFile):
    records: tuple[Chunk, ...] = ()

    def __getitem__(self, position: int) -> Chunk:
        return self.records[position]


class ScoringSearcher:
    """Answers as the retriever does; hits beyond `timed` come from memory and not from the file of chunks.

    Args:
        retriever: what answers users; it alone answers up to `timed` hits, so that latency is theirs.
        chunks: those of its snapshot, in the order of their positions.
        timed: the number of hits whose latency is measured.
    """

    def __init__(self, retriever: Retriever, chunks: Sequence[Chunk], timed: int) -> None:
        self._retriever, self._timed = retriever, timed
        self.parsed = copy(retriever)  # and not a new one: it may be one that knows the reference
        self.parsed.snapshot = _with_chunks(retriever.snapshot, chunks)

    def retrieve(self, query: str, k: int, strategy: Strategy) -> Retrieval:
        """Return at most k hits."""
        searcher = self._retriever if k <= self._timed else self.parsed
        return searcher.retrieve(query, k, strategy)


def _with_chunks(snapshot: Snapshot, chunks: Sequence[Chunk]) -> Snapshot:
    file = snapshot.chunks
    return cast(Snapshot, _InMemory(snapshot, _ParsedChunks(file.lines, file.ends, file.ids, tuple(chunks))))


class _InMemory:
    """Everything but the chunks is the other snapshot's own: two clients on one folder of Chroma would quarrel."""

    def __init__(self, snapshot: Snapshot, chunks: ChunkFile) -> None:
        self._snapshot, self.chunks = snapshot, chunks

    def __len__(self) -> int:
        return len(self._snapshot)

    def __getattr__(self, name: str) -> object:
        return getattr(self._snapshot, name)


@dataclass(frozen=True, slots=True)
class IndexNote:
    """What was searched. Key: (set, corpus)."""

    set: str
    corpus: str
    snapshot: str
    n_chunks: int
    n_guarded: int


@dataclass(frozen=True, slots=True)
class BenchmarkRun:
    """What one benchmark gave. Key: (set, split)."""

    set: str
    split: str
    embedder: str
    """Name and version."""
    indexes: tuple[IndexNote, ...]
    aggregates: tuple[Aggregate, ...]
    """With the timings and the evaluability of each set."""
    unscored: tuple[Unscored, ...]
    rows: tuple[ScoredQuestion, ...]
    seconds: float
    of_books: bool
    """Whether every corpus is a book, so that there are look-ups and rules."""


Instead = Callable[[Corpus, Strategy], Strategy]
"""(corpus, strategy) -> what is searched with in its place, under the same name: weights that were fitted without this
corpus, say."""


def run_benchmark(
    folder: Path,
    name: str,
    split: str,
    corpora: Sequence[Corpus],
    strategies: Sequence[Strategy],
    embedder: Embedder,
    tell: Tell = lambda *_: None,
    instead: Instead | None = None,
) -> BenchmarkRun:
    """Score strategies on a benchmark; what an earlier call scored with the same code and data is not asked again.

    Args:
        folder: folder of the benchmarks.
        name: of the set.
        split: which questions.
        corpora: what the set's reader gave.
        strategies: which to score.
        embedder: makes vectors.
        tell: called as the work goes on.
        instead: the one place where a corpus can be searched with something else than what a name stands for.
    """
    clock = Clock()
    rows: list[ScoredQuestion] = []
    question_sets: list[QuestionSet] = []
    unscored: list[Unscored] = []
    notes: list[IndexNote] = []
    for corpus in corpora:
        with open_index(folder, name, corpus, embedder, _about(corpus.name, tell)) as snapshot:
            chunks = tuple(snapshot.chunks)
            searched_with = [instead(corpus, strategy) for strategy in strategies] if instead else list(strategies)
            with retriever_for(searched_with, snapshot, embedder, chunks) as retriever:
                searcher = ScoringSearcher(retriever, chunks, timed=SHOWN)
                sets = corpus.question_sets(searcher.parsed, chunks)
                measures = _measures(corpus, snapshot, chunks, folder, tell)
                experiment = run_experiment(
                    searcher, searched_with, sets, chunks, snapshot=snapshot.id, measures=measures
                )
            rows += with_graded_ndcg(corpus, experiment.rows)
            question_sets += sets
            unscored += experiment.unscored
            manifest = snapshot.manifest
            notes.append(
                IndexNote(name, corpus.name, snapshot.id, manifest.n_chunks, manifest.n_guarded + manifest.n_keyed)
            )
    tell("summing up", 0, 1)
    aggregates = aggregate(rows) + evaluability(_pooled(question_sets)) + timings(rows)
    return BenchmarkRun(
        set=name,
        split=split,
        embedder=f"{embedder.identity.name} {embedder.identity.version}",
        indexes=tuple(notes),
        aggregates=aggregates,
        unscored=tuple(unscored),
        rows=tuple(rows),
        seconds=clock.seconds,
        of_books=all(isinstance(corpus, LibraryBook) for corpus in corpora),
    )


def _pooled(sets: Sequence[QuestionSet]) -> list[QuestionSet]:
    """Sets of one name and split, asked of several corpora, as one set."""
    pooled: dict[tuple[str, str], QuestionSet] = {}
    for questions in sets:
        known = pooled.get((questions.name, questions.split))
        pooled[questions.name, questions.split] = _joined(known, questions) if known else questions
    return list(pooled.values())


def _joined(left: QuestionSet, right: QuestionSet) -> QuestionSet:
    one, other = left.resolution, right.resolution
    stale: tuple[AnchorFinding, ...] = one.stale + other.stale
    resolution = Resolution(
        {**one.gold, **other.gold},
        stale,
        one.ambiguous + other.ambiguous,
        one.questions_with_gold + other.questions_with_gold,
        {**one.groups, **other.groups},
    )
    return QuestionSet(left.name, left.split, left.questions + right.questions, resolution)


def _measures(corpus: Corpus, snapshot: Snapshot, chunks: Sequence[Chunk], folder: Path, tell: Tell) -> Measurement:
    return Measurement(
        admits=_admits(snapshot),
        embedder=WORD_EMBEDDER,
        surroundings=Surroundings.of(chunks, snapshot.graph),
        store=ScoreStore(folder / "evaluations"),
        progress=_asking(corpus.name, tell),
    )


def _admits(snapshot: Snapshot) -> Admits:
    return lambda question, query_must: satisfies_query_must(snapshot.canonical_of(question), query_must)


def _about(corpus: str, tell: Tell) -> Tell:
    return lambda doing, done, total: tell(f"{corpus}, {doing}", done, total)


def _asking(corpus: str, tell: Tell) -> Callable[[Progress], None]:
    return lambda at: tell(f"{corpus}, {at.set}, {at.strategy}", at.done, at.total)


def contestants(names: Iterable[str]) -> tuple[Strategy, ...]:
    """The strategies of these names; none is all that every build scores, and the reference where it can be asked.

    Raises:
        UnknownNameError: no strategy is called that; lists those that exist.
    """
    chosen = list(dict.fromkeys(names))
    if not chosen:
        return (*STRATEGIES.values(), *([] if why_missing() else [REFERENCE]))
    return tuple(map(_contestant, chosen))


def _contestant(name: str) -> Strategy:
    if name == REFERENCE.name:
        return REFERENCE
    try:
        return scored(strategy(name))
    except UnknownNameError:
        raise UnknownNameError("strategy", name, {**STRATEGIES, **VARIANTS, REFERENCE.name: REFERENCE}) from None
