"""Scores of the strategies on one snapshot with a home's question files, for the leaderboard and the gate."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from evals.aggregates import ALL, Aggregate, Frame, aggregate, question_frame, timings
from evals.experiment import Experiment, Measurement, Progress, run_experiment
from evals.metric_table import Use, names
from evals.noise import Surroundings
from evals.questions.question_sets import QuestionSet, of_people, question_sets
from evals.score_store import ScoreStore
from evals.scored_questions import ScoredQuestion
from retrieval.home import Home
from retrieval.index.embedding.embedders import load_embedder
from retrieval.index.snapshot.snapshot import Snapshot, open_snapshot
from retrieval.index.words.word_vectors import WORD_EMBEDDER
from retrieval.query_must.predicate import satisfies_query_must
from retrieval.search.retriever import Retriever
from retrieval.strategy import Strategy
from retrieval.types import Embedder

HEADLINE = names(Use.HEADLINE)
"""The metrics that every strategy reports; an undefined one is None."""

SHIPPED = "default"
"""The strategy that readers get, which therefore decides whether a snapshot may go live."""


@dataclass(frozen=True, slots=True)
class StaleGold:
    """An anchor that is no longer found in the snapshot; `str(stale)` describes it."""

    file: Path
    question_id: str
    reason: str
    scored: bool
    """Whether another anchor of its group resolves, so that the question is scored nevertheless."""

    def __str__(self) -> str:
        return f"{self.file}: {self.question_id}: {self.reason}"


@dataclass(frozen=True, slots=True)
class Evaluation:
    """An experiment over one snapshot with its question sets. Without question files there is no experiment."""

    snapshot: str
    sets: tuple[QuestionSet, ...] = ()
    experiment: Experiment | None = None

    @property
    def n_questions(self) -> int:
        """Number of questions that could be scored."""
        return sum(len(question_set.scored) for question_set in self.sets)

    @property
    def stale(self) -> tuple[StaleGold, ...]:
        """Anchors of gold that are no longer found in this snapshot."""
        return tuple(
            StaleGold(
                question_set.file,
                finding.question_id,
                finding.reason,
                finding.question_id in question_set.resolution.gold,
            )
            for question_set in self.sets
            for finding in question_set.resolution.stale
        )

    @property
    def evaluability(self) -> float | None:
        """Share of the questions behind `headline` with gold whose answers all resolve; None without such questions."""
        sets = self._headline_sets()
        n_with_gold = sum(question_set.resolution.questions_with_gold for question_set in sets)
        n_resolved = sum(len(question_set.resolution.gold) for question_set in sets)
        return n_resolved / n_with_gold if n_with_gold else None

    def rows(self, strategy: str) -> tuple[ScoredQuestion, ...]:
        """Return one strategy's row for each question."""
        return tuple(row for row in self.experiment.rows if row.strategy == strategy) if self.experiment else ()

    def to_frame(self) -> Frame:
        """Return a line for each question, in the columns of `question_frame`; without questions an empty frame."""
        return question_frame(self.experiment.rows if self.experiment else ())

    def headline_rows(self) -> tuple[ScoredQuestion, ...]:
        """Return the rows behind `headline`: of people's questions, or of generated ones if there are no others."""
        if self.experiment is None:
            return ()
        labels = {(question_set.name, question_set.split) for question_set in self._headline_sets()}
        return tuple(row for row in self.experiment.rows if (row.set, row.split) in labels)

    def _headline_sets(self) -> Sequence[QuestionSet]:
        return of_people(self.sets, lambda of: any(question.generated for question in of.questions))

    def n_ranked(self, strategy: str) -> int:
        """Return the number of questions behind a strategy's `mrr` in `headline`: those with gold."""
        return sum(row.strategy == strategy and bool(row.gold) for row in self.headline_rows())

    def breakdown(self, strategy: str) -> tuple[Aggregate, ...]:
        """Return one strategy's numbers with intervals, over the rows of `headline`: in all, by kind, by book."""
        rows = [replace(row, set=ALL, split=ALL) for row in self.headline_rows() if row.strategy == strategy]
        return tuple(number for number in aggregate(rows) if ALL in {number.book, number.kind})

    def headline(self) -> dict[str, dict[str, float | None]]:
        """Return values by strategy and metric, pooled over the questions of people, or else generated ones."""
        if self.experiment is None:
            return {}
        rows = [replace(row, set=ALL, split=ALL) for row in self.headline_rows()]
        wholes = [number for number in aggregate(rows) if number.book == ALL and number.kind == ALL]
        values = {(number.strategy, number.metric): number.value for number in (*wholes, *timings(rows))}
        share = self.evaluability
        return {
            strategy: {name: values.get((strategy, name)) for name in HEADLINE} | {"evaluability": share}
            for strategy in self.experiment.strategies
        }


def evaluate(
    snapshot: Snapshot,
    embedder: Embedder,
    question_files: Sequence[Path],
    strategies: Sequence[Strategy],
    store: Path | None = None,
    progress: Callable[[Progress], None] | None = None,
    *,
    foreign: bool = False,
) -> Evaluation:
    """Score strategies on a snapshot, with a question set for each file, named after it.

    Args:
        embedder: the model of the snapshot's vectors. `answer_similarity` is always measured by word vectors, so that
            the numbers of different indexes are comparable, and because a sentence model takes a second a question.
        question_files: JSONL; none gives an evaluation without an experiment.
        store: folder of stored rows, so that nothing is scored twice; None: rows are not stored.
        foreign: whether to skip a set whose gold all belongs to another library, instead of raising an error.

    Raises:
        FileNotFoundError: a question file does not exist.
        EvaluationError: the questions cannot be used, or belong to another library.
    """
    if not question_files:
        return Evaluation(snapshot.id)  # chunks are only read to resolve gold
    chunks = tuple(snapshot.chunks)
    sets = question_sets(question_files, chunks, foreign=foreign)
    if not sets:
        return Evaluation(snapshot.id)
    measures = Measurement(
        admits=lambda question, query_must: satisfies_query_must(snapshot.canonical_of(question), query_must),
        embedder=WORD_EMBEDDER,
        surroundings=Surroundings.of(chunks, snapshot.graph),
        store=ScoreStore(store) if store else None,
        progress=progress,
    )
    experiment = run_experiment(
        Retriever(snapshot, embedder), strategies, sets, chunks, snapshot=snapshot.id, measures=measures
    )
    return Evaluation(snapshot.id, sets, experiment)


def evaluation_of(home: Home, snapshot_id: str, *strategies: Strategy, foreign: bool = False) -> Evaluation:
    """Return the scores on one snapshot of a home with its questions; stored scores are read, not computed again.

    With `foreign`, question files of another library are skipped instead of refused. Without questions, the snapshot is
    not opened.
    """
    if not home.settings.questions:
        return Evaluation(snapshot_id)
    with open_snapshot(home.root, snapshot_id) as snapshot:
        embedder = load_embedder(snapshot.manifest.embedder.name)
        return evaluate(snapshot, embedder, home.settings.questions, strategies, home.evaluations, foreign=foreign)
