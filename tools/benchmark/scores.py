"""From the outcomes of questions to numbers with intervals, and to what other systems do better."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from evals.significance import RESAMPLES, SEED, bootstrap_interval, paired_randomisation, wilson_interval
from tools.benchmark.worker import Outcome, QuestionOutcome

RANKS = (1, 5, 10)
WORDS = (50, 200, 500)
CURVE = (10, 20, 30, 40, 50, 75, 100, 150, 200, 250, 300, 400, 500)
"""Words at which the picture has a point."""
KINDS = ("row", "prose", "several")
OURS = "default"
"""What the others are compared with."""
MEASURES = (*(f"hit@{rank}" for rank in RANKS), *(f"{words} words" for words in WORDS))
_EXAMPLES = 12


@dataclass(frozen=True, slots=True)
class Score:
    """One number with its 95 % interval. Key: (kind, measure)."""

    kind: str
    """Of the questions."""
    measure: str
    value: float
    low: float
    high: float
    n: int


@dataclass(frozen=True, slots=True)
class AnswerCounts:
    """Answers in words. `answerable` questions have gold; any answer to another one is wrong."""

    answerable: int
    right: int
    wrong: int
    unsure: int
    refused: int
    unanswerable: int
    unanswerable_wrong: int
    unanswerable_unsure: int


@dataclass(frozen=True, slots=True)
class SystemScores:
    """The numbers of one system over one folder of books. Key: system."""

    system: str
    scores: tuple[Score, ...]
    curve: tuple[float, ...]
    """Share of row questions reached within each number of words of `CURVE`."""
    index_seconds: float
    index_megabytes: float
    peak_megabytes: float
    p50: Score
    """Median milliseconds of a question."""
    hit_words: float
    """Mean words of one of the first ten hits."""
    answers: AnswerCounts | None

    def score(self, kind: str, measure: str) -> Score | None:
        """The number of that name; None if there are no such questions."""
        return next((score for score in self.scores if (score.kind, score.measure) == (kind, measure)), None)

    @classmethod
    def of(cls, outcome: Outcome) -> "SystemScores":
        """From the questions of an outcome."""
        rows = [question for question in outcome.questions if question.kind == "row"]
        return cls(
            outcome.system,
            tuple(_scores(outcome.questions)),
            tuple(_share([_within(question, words) for question in rows]) for words in CURVE) if rows else (),
            round(outcome.index_seconds, 2),
            round(outcome.index_bytes / 1e6, 2),
            round(outcome.peak_bytes / 1e6),
            _median([question.milliseconds for question in outcome.questions]),
            round(float(np.mean([question.hit_words for question in outcome.questions])), 1),
            _answers(outcome.questions),
        )

    @classmethod
    def read(cls, values: Mapping[str, Any]) -> "SystemScores":
        """What `asdict` made of one."""
        answers = values["answers"]
        return cls(
            **{
                **values,
                "scores": tuple(Score(**score) for score in values["scores"]),
                "curve": tuple(values["curve"]),
                "p50": Score(**values["p50"]),
                "answers": AnswerCounts(**answers) if answers else None,
            }
        )


def _within(question: QuestionOutcome, words: int) -> bool:
    return question.words is not None and question.words <= words


def _reached(question: QuestionOutcome, measure: str) -> bool:
    """Whether a question counts for a measure of `MEASURES`."""
    if measure.startswith("hit@"):
        return question.rank is not None and question.rank <= int(measure.removeprefix("hit@"))
    return _within(question, int(measure.removesuffix(" words")))


def _share(values: Sequence[bool]) -> float:
    return round(sum(values) / len(values), 6)


def _scores(questions: Sequence[QuestionOutcome]) -> Iterator[Score]:
    for kind in KINDS:
        same = [question for question in questions if question.kind == kind]
        for measure in MEASURES if same else ():
            reached = [_reached(question, measure) for question in same]
            interval = wilson_interval(sum(reached), len(same))
            yield Score(kind, measure, _share(reached), round(interval.low, 4), round(interval.high, 4), len(same))
    rows = [float(question.siblings) for question in questions if question.kind == "row" and question.n_siblings]
    if rows:
        spread = bootstrap_interval(rows)
        mean = round(sum(rows) / len(rows), 2)
        yield Score("row", "siblings", mean, round(spread.low, 2), round(spread.high, 2), len(rows))


def _median(values: Sequence[float]) -> Score:
    """The median with a seeded percentile bootstrap."""
    draws = np.random.default_rng(SEED).choice(np.asarray(values), size=(RESAMPLES, len(values)))
    low, high = np.quantile(np.median(draws, axis=1), [0.025, 0.975])
    return Score("all", "p50", round(float(np.median(values)), 2), round(low, 2), round(high, 2), len(values))


def _answers(questions: Sequence[QuestionOutcome]) -> AnswerCounts | None:
    if all(question.answer is None for question in questions):
        return None
    answerable = [question.answer for question in questions if question.kind != "no-answer"]
    others = [question.answer for question in questions if question.kind == "no-answer"]
    return AnswerCounts(
        len(answerable),
        answerable.count("right"),
        answerable.count("wrong"),
        answerable.count("unsure"),
        answerable.count("refused"),
        len(others),
        others.count("wrong"),
        others.count("unsure"),
    )


@dataclass(frozen=True, slots=True)
class Win:
    """A measure at which another system is ahead of `default`. Key: (kind, measure, system)."""

    kind: str
    measure: str
    system: str
    value: float
    ours: float
    p: float
    """Two-sided, of a paired randomisation test."""


@dataclass(frozen=True, slots=True)
class Example:
    """A question that other systems answer at their first hit, and `default` does not. Key: id."""

    id: str
    query: str
    kind: str
    our_rank: int | None
    systems: tuple[str, ...]


def wins(ours: Outcome, others: Sequence[Outcome]) -> tuple[Win, ...]:
    """Every measure at which another system is ahead, in the order of kinds and measures."""
    mine = _by_question(ours)
    ahead: list[Win] = []
    for kind in KINDS:
        for measure in MEASURES:
            for other in others:
                pairs = [
                    (float(_reached(question, measure)), float(_reached(mine[question.book, question.id], measure)))
                    for question in other.questions
                    if question.kind == kind
                ]
                theirs, own = np.asarray(pairs).T if pairs else (np.zeros(1), np.zeros(1))
                if theirs.mean() > own.mean():
                    p = paired_randomisation(list(theirs), list(own))
                    means = round(float(theirs.mean()), 6), round(float(own.mean()), 6)
                    ahead.append(Win(kind, measure, other.system, *means, round(p, 4)))
    return tuple(ahead)


def examples(ours: Outcome, others: Sequence[Outcome], queries: Mapping[tuple[str, str], str]) -> tuple[Example, ...]:
    """The questions that others answer at once and for which `default` ranks the gold lowest, the lowest first."""
    lost: list[Example] = []
    for question in ours.questions:
        key = question.book, question.id
        first = tuple(other.system for other in others if _by_question(other)[key].rank == 1)
        if first and question.rank != 1:
            lost.append(Example(question.id, queries[key], question.kind, question.rank, first))
    lost.sort(key=lambda example: (-(example.our_rank or 1_000), example.id))
    return tuple(lost[:_EXAMPLES])


def _by_question(outcome: Outcome) -> dict[tuple[str, str], QuestionOutcome]:
    return {(question.book, question.id): question for question in outcome.questions}
