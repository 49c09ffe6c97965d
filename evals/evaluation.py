"""How the strategies score on one snapshot with a home's own question files: what the leaderboard and the gate read."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from evals.aggregates import ALL, Aggregate, Frame, aggregate, question_frame, timings
from evals.experiment import Experiment, Measurement, Progress, counterpart_among, run_experiment
from evals.metric_table import Use, names
from evals.noise import Surroundings
from evals.questions.question_sets import QuestionSet, question_sets
from evals.scored_questions import ScoredQuestion, ScoreStore
from retrieval.home import Home
from retrieval.index.embedding.embedders import load_embedder
from retrieval.index.snapshot.snapshot import Snapshot, open_snapshot
from retrieval.index.words.word_vectors import WORD_EMBEDDER
from retrieval.query_must.predicate import satisfies_query_must
from retrieval.search.retriever import Retriever
from retrieval.search.strategies import STRATEGIES
from retrieval.strategy import Strategy
from retrieval.types import Embedder

HEADLINE = names(Use.HEADLINE)
"""The numbers that every strategy reports; a metric that says nothing is None."""

SHIPPED = "default"
"""The strategy that readers get, so the one that decides whether a snapshot may go live."""


@dataclass(frozen=True, slots=True)
class StaleGold:
    """An anchor that is no longer found in the snapshot; `str(stale)` says all of it."""

    file: Path
    question_id: str
    reason: str
    scored: bool
    """Another anchor of its group resolves, so the question is scored all the same."""

    def __str__(self) -> str:
        return f"{self.file}: {self.question_id}: {self.reason}"


@dataclass(frozen=True, slots=True)
class Evaluation:
    """An experiment over one snapshot with the sets it rests on. Without question files there is no experiment."""

    snapshot: str
    sets: tuple[QuestionSet, ...] = ()
    experiment: Experiment | None = None

    @property
    def n_questions(self) -> int:
        """Questions that could be scored."""
        return sum(len(question_set.scored) for question_set in self.sets)

    @property
    def stale(self) -> tuple[StaleGold, ...]:
        """Gold that is no longer found in this snapshot, anchor by anchor."""
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
        """Share of the questions with gold whose every answer resolves; None without such questions."""
        n_with_gold = sum(question_set.resolution.questions_with_gold for question_set in self.sets)
        n_resolved = sum(len(question_set.resolution.gold) for question_set in self.sets)
        return n_resolved / n_with_gold if n_with_gold else None

    def rows(self, strategy: str) -> tuple[ScoredQuestion, ...]:
        """What one strategy did with each question."""
        return tuple(row for row in self.experiment.rows if row.strategy == strategy) if self.experiment else ()

    def to_frame(self) -> Frame:
        """Question by question, `question_frame` names the columns; without questions a frame without lines."""
        return question_frame(self.experiment.rows if self.experiment else ())

    def headline_rows(self) -> tuple[ScoredQuestion, ...]:
        """The rows behind `headline`: of the questions of people, or of generated ones where there are no others."""
        if self.experiment is None:
            return ()
        people = [
            question_set
            for question_set in self.sets
            if not any(question.generated for question in question_set.questions)
        ]
        labels = {(question_set.name, question_set.split) for question_set in people or self.sets}
        return tuple(row for row in self.experiment.rows if (row.set, row.split) in labels)

    def breakdown(self, strategy: str) -> tuple[Aggregate, ...]:
        """One strategy's numbers with their intervals, over the rows of `headline`: of all, by kind, and by book."""
        rows = [replace(row, set=ALL, split=ALL) for row in self.headline_rows() if row.strategy == strategy]
        return tuple(number for number in aggregate(rows) if ALL in {number.book, number.kind})

    def headline(self) -> dict[str, dict[str, float | None]]:
        """Strategy to metric to value, pooled over the questions of people, or generated ones without any."""
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
    """Score strategies on a snapshot; a question set for each file, named for it.

    Args:
        snapshot: what is searched.
        embedder: the model of the snapshot's vectors. `answer_similarity` is measured by word vectors whatever it is: a
            number of one index is compared with that of another, and a sentence model takes a second a question.
        question_files: JSONL; none gives an evaluation without an experiment.
        strategies: which to score.
        store: folder that keeps rows, so that what was scored once is not scored again; None keeps nothing.
        progress: called with how far it is.
        foreign: leave out a set whose gold all belongs to another library, instead of refusing it.

    Raises:
        FileNotFoundError: a question file is not there.
        EvaluationError: the questions cannot be used, or belong to another library.
    """
    if not question_files:
        return Evaluation(snapshot.id)  # the chunks are read for the sake of the gold alone
    chunks = tuple(snapshot.chunks)
    sets = question_sets(question_files, chunks, foreign=foreign)
    if not sets:
        return Evaluation(snapshot.id)
    measures = Measurement(
        # A strategy is compared with its named counterpart even where it is scored alone.
        counterpart=counterpart_among(STRATEGIES.values()),
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
    """Scores on one snapshot of a home with its own questions; what was scored before is read and not run again.

    With `foreign`, question files of another library are left out instead of refused. Without questions the snapshot is
    not opened: there is nothing to ask it.
    """
    if not home.settings.questions:
        return Evaluation(snapshot_id)
    with open_snapshot(home.root, snapshot_id) as snapshot:
        embedder = load_embedder(snapshot.manifest.embedder.name)
        return evaluate(snapshot, embedder, home.settings.questions, strategies, home.evaluations, foreign=foreign)
