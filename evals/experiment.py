"""Experiments, in which every strategy answers every question, and every answer becomes a row of scores."""

import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Protocol

import evals
import retrieval
from evals.aggregates import Aggregate, Frame, aggregate, aggregate_frame, evaluability, timings
from evals.errors import ExperimentError
from evals.metrics import DEPTH, SHOWN, STANDARD, Judgement
from evals.noise import (
    NO_ANSWER_ACCURACY,
    NOISE,
    USEFUL,
    Admits,
    AnswerSimilarity,
    Relatives,
    Surroundings,
    cross_book_contamination,
    excluded_gold,
    guarded_noise,
    lost_gold,
    no_answer_accuracy,
    noise,
    refused_gold,
    useful,
    wrong_row,
)
from evals.questions.gold import Groups, whole_answers
from evals.questions.question_sets import FILE_NAME, QuestionSet, Unscored
from evals.questions.questions import Question
from evals.score_store import ScoresKey, ScoreStore
from evals.scored_questions import ScoredQuestion
from retrieval.clock import Clock
from retrieval.files.versions import sources
from retrieval.search.strategies import STRATEGIES
from retrieval.strategy import Strategy
from retrieval.types import Chunk, Embedder, Retrieval


@dataclass(frozen=True, slots=True)
class AskedQuestion:
    """A question and its retrievals."""

    question: Question
    strategy: str
    shown: Retrieval
    """Retrieval with k = 15, the hits that an assistant is given."""
    deep: Retrieval
    """Retrieval with k = 100, for metrics of longer rankings, and to find what a filter lost."""
    milliseconds: float
    """Wall time of `shown`."""


@dataclass(frozen=True, slots=True)
class Scorer:
    """Everything on which a row's numbers depend, except the retrieval."""

    relatives: Relatives
    admits: Admits | None = None
    """Returns whether a question satisfies a predicate; None: only rankings and receipts show lost gold."""
    similarity: AnswerSimilarity | None = None
    """None if `answer_similarity` is not measured."""
    surroundings: Surroundings | None = None
    """None if `useful@15` is not measured."""

    def row(self, outcome: AskedQuestion, questions: QuestionSet, unfiltered: ScoredQuestion | None) -> ScoredQuestion:
        """Return the row of one question; `unfiltered` is that of the strategy without query_must, if it filters."""
        question = outcome.question
        gold = questions.gold(question)
        excluded = self._excluded(outcome, gold, questions.groups(question), unfiltered)
        deep = questions.judge(question, outcome.deep.chunk_ids) if gold else None
        return ScoredQuestion(
            set=questions.name,
            split=questions.split,
            strategy=outcome.strategy,
            question_id=question.id,
            book=question.book or "",
            kind=question.kind,
            query=question.query,
            gold=gold,
            chunk_ids=outcome.shown.chunk_ids,
            deep_chunk_ids=outcome.deep.chunk_ids,
            deep_scores=tuple(float(hit.score) for hit in outcome.deep.hits),
            excluded_gold=excluded,
            unfiltered_noise=unfiltered.values[NOISE] if unfiltered else None,
            unfiltered_guarded_noise=(
                float(guarded_noise(unfiltered.chunk_ids, gold, self.relatives)) if unfiltered else None
            ),
            unfiltered_recall=unfiltered.values.get("recall@10") if unfiltered else None,
            why=_why(deep, len(outcome.deep.hits), excluded),
            values=self._values(outcome, questions, deep),
            milliseconds=outcome.milliseconds,
        )

    def _values(self, outcome: AskedQuestion, questions: QuestionSet, deep: Judgement | None) -> dict[str, float]:
        question, ranking = outcome.question, outcome.shown.chunk_ids
        gold = questions.gold(question)
        values: dict[str, float | None] = {NOISE: float(noise(ranking, gold, self.relatives))}
        if deep is None:
            values[NO_ANSWER_ACCURACY] = no_answer_accuracy(ranking)
        else:
            shown = questions.judge(question, ranking)
            values |= {metric.name: metric(shown if metric.depth <= SHOWN else deep) for metric in STANDARD}
            values["wrong_row_rate"] = wrong_row(ranking, gold, self.relatives)
            values[USEFUL] = useful(ranking, gold, self.surroundings) if self.surroundings else None
            if question.book:
                values["cross_book_contamination"] = cross_book_contamination(ranking, question.book, self.relatives)
            if question.answer and self.similarity:
                values["answer_similarity"] = self.similarity(question.answer, ranking)
        return {name: value for name, value in values.items() if value is not None} | _of_rounds(outcome.shown)

    def _excluded(
        self, outcome: AskedQuestion, gold: tuple[str, ...], groups: Groups, unfiltered: ScoredQuestion | None
    ) -> tuple[str, ...]:
        excluded = {*excluded_gold(gold, outcome.shown), *excluded_gold(gold, outcome.deep)}
        if unfiltered is not None:
            excluded.update(lost_gold(gold, unfiltered.chunk_ids, outcome.deep.chunk_ids))
            if self.admits is not None:
                excluded.update(refused_gold(outcome.question.query, gold, self.relatives, self.admits))
        return whole_answers(excluded, groups, outcome.deep.chunk_ids)


def _of_rounds(shown: Retrieval) -> dict[str, float]:
    """Return the metrics of the rounds of `iterative`; none for a search without rounds."""
    receipt = shown.receipt
    if not receipt.iterations:
        return {}
    return {
        "rounds": float(receipt.rounds),
        "excluded": float(sum(iteration.excluded for iteration in receipt.iterations)),
    }


def _why(deep: Judgement | None, returned: int, excluded: tuple[str, ...]) -> str:
    if deep is None:
        return f"no answer exists; {returned} chunks were returned"
    ranks = deep.ranks
    where = f"gold at rank {', '.join(map(str, ranks))}" if ranks else f"no gold in the first {DEPTH}"
    missing = deep.gold - len(ranks)
    lost = f"; {missing} of {deep.gold} gold chunks not found" if ranks and missing else ""
    return where + lost + (f"; the filter excluded {', '.join(excluded)}" if excluded else "")


Counterpart = Callable[[Strategy], Strategy | None]
"""Returns the same strategy without query_must; None if it does not filter."""


def without_query_must(strategy: Strategy) -> Strategy | None:
    """Return the strategy with its filter off, named `<name>-query_must`; None if it is off already."""
    if strategy.query_must == "off":
        return None
    return replace(strategy, name=f"{strategy.name}-query_must", query_must="off")


def counterpart_among(strategies: Iterable[Strategy]) -> Counterpart:
    """Return a function like `without_query_must` that prefers a named equal strategy: `dense` for `prefilter`."""
    known = {_nameless(strategy): strategy for strategy in strategies if strategy.query_must == "off"}

    def counterpart(strategy: Strategy) -> Strategy | None:
        bare = without_query_must(strategy)
        return None if bare is None else known.get(_nameless(bare), bare)

    return counterpart


def _nameless(strategy: Strategy) -> Strategy:
    # rounds of filtering have no effect on a search without a filter
    return replace(strategy, name="", max_iterations=0)


_PART_SECONDS = 10.0
"""Seconds of work that an interruption loses at most."""


class Searcher(Protocol):
    """The object that is evaluated, which also answers users."""

    def retrieve(self, query: str, k: int, strategy: Strategy) -> Retrieval:
        """Return at most k hits."""


@dataclass(frozen=True, slots=True)
class Progress:
    """The progress of one strategy with one question set."""

    set: str
    split: str
    strategy: str
    done: int
    total: int


@dataclass(frozen=True, slots=True)
class Experiment:
    """The rows of an experiment and the numbers computed from them.

    Everything except `timings` and the rows' milliseconds is the same in every run over the same snapshot.
    """

    snapshot: str
    rows: tuple[ScoredQuestion, ...]
    aggregates: tuple[Aggregate, ...]
    unscored: tuple[Unscored, ...]
    timings: tuple[Aggregate, ...]

    @property
    def strategies(self) -> tuple[str, ...]:
        """Names of the strategies, in the order in which they were requested."""
        return tuple(dict.fromkeys(row.strategy for row in self.rows))

    def aggregates_frame(self) -> Frame:
        """Return the means with their intervals and the timings, in the columns of `aggregate_frame`."""
        return aggregate_frame(self.aggregates + self.timings)


@dataclass(frozen=True, slots=True)
class Measurement:
    """Additional measurements, and the storage of rows."""

    admits: Admits | None = None
    """`satisfies_query_must` with the snapshot's vocabulary, to find gold that its own predicate refuses."""
    embedder: Embedder | None = None
    """For `answer_similarity`; None: not measured."""
    surroundings: Surroundings | None = None
    """For `useful@15`; None: not measured."""
    store: ScoreStore | None = None
    """Stores rows, so that finished ones are not computed again; None: rows are not stored."""
    progress: Callable[[Progress], None] | None = None


def run_experiment(
    searcher: Searcher,
    strategies: Sequence[Strategy],
    question_sets: Sequence[QuestionSet],
    chunks: Sequence[Chunk],
    *,
    snapshot: str,
    measures: Measurement = Measurement(),
) -> Experiment:
    """Run every strategy on every question that can be scored.

    Each question is asked twice: with k = 15, as by an assistant (timed, for metrics of that depth), and with k = 100
    for the other metrics, such as `mrr`. A strategy with query_must is compared with its counterpart without, a named
    one if possible; the counterpart is also run, and is reported if it is one of `strategies`. Rows of an earlier run
    are used only if questions, gold, strategy, snapshot, embedder and code are the same.

    Raises:
        ExperimentError: it cannot be run; has all problems, before the first question is asked.
    """
    relatives = Relatives.of(chunks)
    problems = _problems(strategies, question_sets, snapshot, relatives)
    if problems:
        raise ExperimentError("the experiment cannot be run:", problems)
    run = _Run(searcher, relatives, snapshot, measures)
    pair = counterpart_among((*STRATEGIES.values(), *strategies))
    rows = [
        row
        for question_set in question_sets
        for strategy in strategies
        for row in run.paired(question_set, strategy, pair)
    ]
    return Experiment(
        snapshot=snapshot,
        rows=tuple(rows),
        aggregates=aggregate(rows) + evaluability(question_sets),
        unscored=tuple(unscored for question_set in question_sets for unscored in question_set.unscored),
        timings=timings(rows),
    )


class _Run:
    """One call of `run_experiment`, with the rows computed so far."""

    def __init__(self, searcher: Searcher, relatives: Relatives, snapshot: str, measures: Measurement) -> None:
        self._searcher, self._snapshot, self._measures = searcher, snapshot, measures
        similarity = AnswerSimilarity(measures.embedder, relatives) if measures.embedder else None
        self._scorer = Scorer(relatives, measures.admits, similarity, measures.surroundings)
        self._done: dict[ScoresKey, tuple[ScoredQuestion, ...]] = {}

    def paired(self, questions: QuestionSet, strategy: Strategy, pair: Counterpart) -> tuple[ScoredQuestion, ...]:
        """Return the rows of a strategy, computed after those of its counterpart if it has one."""
        bare = pair(strategy)
        unfiltered = self._rows(questions, bare, None) if bare else ()
        return self._rows(questions, strategy, {row.question_id: row for row in unfiltered} if bare else None)

    def _rows(
        self, questions: QuestionSet, strategy: Strategy, unfiltered: dict[str, ScoredQuestion] | None
    ) -> tuple[ScoredQuestion, ...]:
        key = self._key(questions, strategy, compared=unfiltered is not None)
        store = self._measures.store
        rows = self._done.get(key) or (store.finished(key) if store else None)
        if rows is None:
            known = {row.question_id: row for row in store.parts(key)} if store else {}
            remaining = [question for question in questions.scored if question.id not in known]
            known |= {
                row.question_id: row for row in self._kept(key, self._ask(questions, strategy, remaining, unfiltered))
            }
            rows = tuple(known[question.id] for question in questions.scored)
            if store:
                store.finish(key, rows)
        self._done[key] = rows
        self._tell(questions, strategy, len(rows))
        return rows

    def _kept(self, key: ScoresKey, rows: Iterator[ScoredQuestion]) -> list[ScoredQuestion]:
        """Return the rows, saving them in parts meanwhile, and also if interrupted."""
        gathered: list[ScoredQuestion] = []
        saved, since = 0, Clock()
        store = self._measures.store
        try:
            for row in rows:
                gathered.append(row)
                if store and since.seconds > _PART_SECONDS:
                    store.save_part(key, gathered[saved:])
                    saved, since = len(gathered), Clock()
        except BaseException:
            if store and len(gathered) > saved:
                store.save_part(key, gathered[saved:])
            raise
        return gathered

    def _ask(
        self,
        questions: QuestionSet,
        strategy: Strategy,
        remaining: Sequence[Question],
        unfiltered: dict[str, ScoredQuestion] | None,
    ) -> Iterator[ScoredQuestion]:
        ask = questions.ask or self._put
        if remaining:
            ask(remaining[0], SHOWN, strategy)  # loading at first use is not part of this question's latency
        already = len(questions.scored) - len(remaining)
        for number, question in enumerate(remaining, start=already):
            self._tell(questions, strategy, number)
            clock = Clock()
            shown = ask(question, SHOWN, strategy)
            milliseconds = clock.milliseconds
            outcome = AskedQuestion(question, strategy.name, shown, ask(question, DEPTH, strategy), milliseconds)
            yield self._scorer.row(outcome, questions, unfiltered[question.id] if unfiltered is not None else None)

    def _put(self, question: Question, k: int, strategy: Strategy) -> Retrieval:
        return self._searcher.retrieve(question.query, k, strategy)

    def _tell(self, questions: QuestionSet, strategy: Strategy, done: int) -> None:
        if self._measures.progress:
            total = len(questions.scored)
            self._measures.progress(Progress(questions.name, questions.split, strategy.name, done, total))

    def _key(self, questions: QuestionSet, strategy: Strategy, *, compared: bool) -> ScoresKey:
        embedder = self._measures.embedder
        depends_on = {
            "questions": [asdict(question) for question in questions.questions],
            "gold": dict(questions.resolution.gold),
            "groups": dict(questions.resolution.groups),
            "unexplained": {name: sorted(ids) for name, ids in questions.unexplained.items()},
            "strategy": asdict(strategy),
            "compared": compared,
            "snapshot": self._snapshot,
            "admits": self._measures.admits is not None,
            "embedder": asdict(embedder.identity) if embedder else None,
            "surroundings": self._measures.surroundings is not None,
            "code": code_version(),
        }
        fingerprint = sha256(json.dumps(depends_on, sort_keys=True).encode()).hexdigest()[:16]
        return ScoresKey(self._snapshot, strategy.name, questions.name, questions.split, fingerprint)


def _problems(
    strategies: Sequence[Strategy], sets: Sequence[QuestionSet], snapshot: str, relatives: Relatives
) -> list[str]:
    names = [strategy.name for strategy in strategies]
    problems = [f"strategy {name!r} is given twice" for name, count in Counter(names).items() if count > 1]
    problems += [
        f"{name!r} cannot be a file name; use letters, digits and -_.+@"
        for name in [snapshot, *names]
        if not FILE_NAME.fullmatch(name)
    ]
    labels = Counter((question_set.name, question_set.split) for question_set in sets)
    problems += [
        f"set {name!r}, split {split!r} is given twice" for (name, split), count in labels.items() if count > 1
    ]
    for noun, given in (("strategies", strategies), ("question sets", sets), ("chunks", relatives.chunks)):
        if not given:
            problems.append(f"no {noun} are given")
    return problems + [problem for question_set in sets for problem in question_set.problems(relatives.chunks)]


@cache
def code_version() -> str:
    """Return a hash of the code and the learned files of `retrieval` and `evals` at the time of the first call.

    Stored rows contain it, because a change of the search invalidates earlier numbers.
    """
    digest = sha256()
    for package in (retrieval, evals):
        for root in map(Path, package.__path__):
            for part in sources(root, f"{package.__name__}/"):
                digest.update(part)
    return digest.hexdigest()[:16]
