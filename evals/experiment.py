"""An experiment: every strategy asked every question, scored, kept, and summed up with intervals."""

import json
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from hashlib import sha256
from typing import Protocol

from evals.code_version import code_version
from evals.errors import ExperimentError
from evals.metrics import DEPTH, SHOWN, STANDARD, Metric
from evals.noise import Admits, AnswerSimilarity, Relatives
from evals.pairing import Counterpart, counterpart_among
from evals.questions.question_sets import FILE_NAME, QuestionSet, Unscored
from evals.questions.questions import Question
from evals.scored_questions import ScoredQuestion, ScoresKey, ScoreStore
from evals.scoring import Asked, Scorer
from evals.statistics.aggregates import Aggregate, aggregate, evaluability, timings
from evals.statistics.frames import Frame, aggregate_frame, question_frame
from evals.surroundings import Surroundings
from retrieval.clock import Clock
from retrieval.strategy import Strategy
from retrieval.types import Chunk, Embedder, Retrieval

_PART_SECONDS = 10.0
"""An interruption loses at most this much work."""


class Searcher(Protocol):
    """What is judged: the object that answers users."""

    def retrieve(self, query: str, k: int, strategy: Strategy) -> Retrieval:
        """Return at most k hits."""


@dataclass(frozen=True, slots=True)
class Progress:
    """How far one strategy is with one question set."""

    set: str
    split: str
    strategy: str
    done: int
    total: int


@dataclass(frozen=True, slots=True)
class Experiment:
    """The rows of an experiment and what follows from them.

    All but `timings` (and the rows' milliseconds) is the same on every run over the same snapshot.
    """

    snapshot: str
    rows: tuple[ScoredQuestion, ...]
    aggregates: tuple[Aggregate, ...]
    unscored: tuple[Unscored, ...]
    timings: tuple[Aggregate, ...]

    @property
    def strategies(self) -> tuple[str, ...]:
        """Names in the order in which they were asked for."""
        return tuple(dict.fromkeys(row.strategy for row in self.rows))

    def to_frame(self) -> Frame:
        """Question by question; `question_frame` names the columns."""
        return question_frame(self.rows)

    def aggregates_frame(self) -> Frame:
        """The means with their intervals and the timings; `aggregate_frame` names the columns."""
        return aggregate_frame(self.aggregates + self.timings)


@dataclass(frozen=True, slots=True)
class Measures:
    """What is measured besides rankings, and where rows are kept."""

    metrics: tuple[Metric, ...] = STANDARD
    counterpart: Counterpart | None = None
    """None: a strategy of the experiment that searches alike without query_must, else one made for it."""
    admits: Admits | None = None
    """`satisfies_query_must` with the snapshot's vocabulary; finds gold that its own predicate refuses."""
    embedder: Embedder | None = None
    """Measures `answer_similarity`; None: not measured."""
    surroundings: Surroundings | None = None
    """Measures `useful@15`; None: not measured."""
    store: ScoreStore | None = None
    """Keeps rows, so that what is finished is not run again; None: nothing is kept."""
    progress: Callable[[Progress], None] | None = None


def run_experiment(
    searcher: Searcher,
    strategies: Sequence[Strategy],
    question_sets: Sequence[QuestionSet],
    chunks: Sequence[Chunk],
    *,
    snapshot: str,
    measures: Measures = Measures(),
) -> Experiment:
    """Ask every strategy every question that can be scored.

    Each question is asked twice: with k = 15, as an assistant would (timed; all metrics that look no deeper), and with
    k = 100 for the others, of which `mrr` is one. A strategy with query_must is compared with its counterpart without;
    the counterpart runs too, and is reported if it is one of `strategies`. Rows of an earlier run are used only if
    questions, gold, strategy, snapshot, embedder and code are the same.

    Raises:
        ExperimentError: it cannot be run so; every problem at once, before the first question is asked.
    """
    relatives = Relatives.of(chunks)
    problems = _problems(strategies, question_sets, snapshot, relatives, measures.metrics)
    if problems:
        raise ExperimentError(f"the experiment has {len(problems)} problems:", problems)
    run = _Run(searcher, relatives, snapshot, measures)
    pair = measures.counterpart or counterpart_among(strategies)
    rows = [row for each in question_sets for strategy in strategies for row in run.paired(each, strategy, pair)]
    return Experiment(
        snapshot=snapshot,
        rows=tuple(rows),
        aggregates=aggregate(rows) + evaluability(question_sets),
        unscored=tuple(unscored for each in question_sets for unscored in each.unscored),
        timings=timings(rows),
    )


class _Run:
    """One call of `run_experiment`: remembers which rows it has."""

    def __init__(self, searcher: Searcher, relatives: Relatives, snapshot: str, measures: Measures) -> None:
        self._searcher, self._snapshot, self._measures = searcher, snapshot, measures
        similarity = AnswerSimilarity(measures.embedder, relatives) if measures.embedder else None
        self._scorer = Scorer(relatives, measures.metrics, measures.admits, similarity, measures.surroundings)
        self._done: dict[ScoresKey, tuple[ScoredQuestion, ...]] = {}

    def paired(self, questions: QuestionSet, strategy: Strategy, pair: Counterpart) -> tuple[ScoredQuestion, ...]:
        """Rows of a strategy, after those of its counterpart if it has one."""
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
            asked = [question for question in questions.scored if question.id not in known]
            known |= {
                row.question_id: row for row in self._kept(key, self._ask(questions, strategy, asked, unfiltered))
            }
            rows = tuple(known[question.id] for question in questions.scored)
            if store:
                store.finish(key, rows)
        self._done[key] = rows
        self._tell(questions, strategy, len(rows))
        return rows

    def _kept(self, key: ScoresKey, rows: Iterator[ScoredQuestion]) -> list[ScoredQuestion]:
        """The rows, saved in parts while they come; an interruption saves what there is."""
        gathered: list[ScoredQuestion] = []
        saved, since = 0, Clock()
        store = self._measures.store
        try:
            for row in rows:
                gathered.append(row)
                if store and since.seconds > _PART_SECONDS:
                    store.keep(key, gathered[saved:])
                    saved, since = len(gathered), Clock()
        except BaseException:
            if store and len(gathered) > saved:
                store.keep(key, gathered[saved:])
            raise
        return gathered

    def _ask(
        self,
        questions: QuestionSet,
        strategy: Strategy,
        asked: Sequence[Question],
        unfiltered: dict[str, ScoredQuestion] | None,
    ) -> Iterator[ScoredQuestion]:
        ask = questions.ask or self._put
        if asked:
            ask(asked[0], SHOWN, strategy)  # what is loaded at first use is not this question's latency
        already = len(questions.scored) - len(asked)
        for number, question in enumerate(asked, start=already):
            self._tell(questions, strategy, number)
            clock = Clock()
            shown = ask(question, SHOWN, strategy)
            milliseconds = clock.milliseconds
            result = Asked(question, strategy.name, shown, ask(question, DEPTH, strategy), milliseconds)
            yield self._scorer.row(result, questions, unfiltered[question.id] if unfiltered is not None else None)

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
            "metrics": [metric.name for metric in self._measures.metrics],
            "admits": self._measures.admits is not None,
            "embedder": asdict(embedder.identity) if embedder else None,
            "surroundings": self._measures.surroundings is not None,
            "code": code_version(),
        }
        fingerprint = sha256(json.dumps(depends_on, sort_keys=True).encode()).hexdigest()[:16]
        return ScoresKey(self._snapshot, strategy.name, questions.name, questions.split, fingerprint)


def _problems(
    strategies: Sequence[Strategy],
    sets: Sequence[QuestionSet],
    snapshot: str,
    relatives: Relatives,
    metrics: Sequence[Metric],
) -> list[str]:
    names = [strategy.name for strategy in strategies]
    found = [f"strategy {name!r} is given twice" for name, count in Counter(names).items() if count > 1]
    found += [
        f"{name!r} cannot be a file name; use letters, digits and -_.+@"
        for name in [snapshot, *names]
        if not FILE_NAME.fullmatch(name)
    ]
    labels = Counter((each.name, each.split) for each in sets)
    found += [f"set {name!r}, split {split!r} is given twice" for (name, split), count in labels.items() if count > 1]
    found += [
        f"metric {each.name!r} looks at {each.depth} hits, and rankings have {DEPTH}; take a smaller cutoff"
        for each in metrics
        if each.depth > DEPTH
    ]
    for noun, given in (("strategies", strategies), ("question sets", sets), ("chunks", relatives.chunks)):
        if not given:
            found.append(f"no {noun} are given")
    return found + [problem for each in sets for problem in each.problems(relatives.chunks)]
