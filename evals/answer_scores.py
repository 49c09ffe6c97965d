"""Answers that are read, put beside the answers that people wrote: right, partly, wrong, perhaps or refused."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from evals.answer_grading import GoldAnswer, grade_answer
from evals.questions.question_sets import QuestionSet
from evals.questions.questions import Question
from evals.significance import wilson_interval
from retrieval.rag.cell_reading import read
from retrieval.rag.context import READABLE, Gatherer
from retrieval.settings import AnswerSettings
from retrieval.types import Chunk

Outcome = Literal["right", "partly", "wrong", "perhaps", "refused"]
COMPARISON, NO_ANSWER = "comparison", "no-answer"
ALL = "all"


@dataclass(frozen=True, slots=True)
class AnsweredQuestion:
    """What was answered to one question. Key: id."""

    id: str
    kind: str
    """Of the question; `no-answer` where the library holds no answer."""
    query: str
    answer: str
    """That a person wrote."""
    outcome: Outcome
    """Of the first statement, and of a comparison of all sides. What is stated to a question without an answer is
    wrong."""
    stated: str
    """What was read, joined; empty where it was refused."""
    would_be: Literal["right", "partly", "wrong"] | None
    """The grade of what stands under `Perhaps:`; None of every other outcome."""


def answer_questions(
    questions: QuestionSet,
    gatherer: Gatherer,
    settings: AnswerSettings = AnswerSettings(),  # noqa: B008
) -> Iterator[AnsweredQuestion]:
    """Ask every question that has a gold answer, and every one that the library does not answer.

    Args:
        questions: with their gold resolved in the index.
        gatherer: over the index.
        settings: what is stated, and what stands under `Perhaps:`.
    """
    chunks = {chunk.id: chunk for chunk in gatherer.reader.retriever.snapshot.chunks}
    for question in questions.scored:
        if question.answer or not question.gold:
            yield _answered(questions, question, chunks, gatherer, settings)


def _answered(
    questions: QuestionSet,
    question: Question,
    chunks: Mapping[str, Chunk],
    gatherer: Gatherer,
    settings: AnswerSettings,
) -> AnsweredQuestion:
    reading = read(gatherer.gather(question.query, settings.max_chunks, READABLE), settings)
    cells = reading.cells if reading.is_comparison else reading.statements[0].cells if reading.statements else ()
    kind = (question.kind or "") if question.gold else NO_ANSWER
    grade = grade_answer(cells, chunks, gold_answer(questions, question)) if question.gold else "wrong"
    outcome: Outcome = grade
    if reading.verdict != "stated":
        outcome = "perhaps" if reading.verdict == "perhaps" else "refused"
    return AnsweredQuestion(
        question.id,
        kind,
        question.query,
        question.answer or "",
        outcome,
        "; ".join(cell.text for cell in cells),
        grade if outcome == "perhaps" else None,
    )


def gold_answer(questions: QuestionSet, question: Question) -> GoldAnswer:
    """What would be right, from the gold of a question."""
    snippets = tuple(anchor.snippet for anchor in question.gold if anchor.snippet)
    return GoldAnswer(question.query, question.answer or "", questions.gold(question), snippets)


@dataclass(frozen=True, slots=True)
class AnswerScore:
    """Outcomes of the questions of one kind. Key: kind."""

    kind: str
    n: int = 0
    right: int = 0
    partly: int = 0
    wrong: int = 0
    perhaps: int = 0
    refused: int = 0

    def __add__(self, other: "AnswerScore") -> "AnswerScore":
        return AnswerScore(
            self.kind,
            self.n + other.n,
            self.right + other.right,
            self.partly + other.partly,
            self.wrong + other.wrong,
            self.perhaps + other.perhaps,
            self.refused + other.refused,
        )

    @property
    def stated(self) -> int:
        """Answers that were stated, not under `Perhaps:`."""
        return self.right + self.partly + self.wrong

    def line(self) -> str:
        """A row of a markdown table: shares, and the 95 % interval of those that are right (Wilson)."""
        interval = wilson_interval(self.right, self.n)
        counts = (self.right, self.partly, self.wrong, self.perhaps, self.refused)
        shares = " | ".join(f"{count / self.n:.3f}" for count in counts) if self.n else " | ".join("-" * 5)
        return f"| {self.kind} | {self.n} | {shares} | {interval.low:.3f} to {interval.high:.3f} |"


HEADER = (
    "| questions | n | right | partly | wrong | perhaps | refused | right, 95 % interval |",
    "|---|---:|---:|---:|---:|---:|---:|---:|",
)


def score_answers(answers: Iterable[AnsweredQuestion]) -> tuple[AnswerScore, ...]:
    """One score a kind, in the order in which the kinds come; then one for all that have an answer."""
    scores: dict[str, AnswerScore] = {}
    for answer in answers:
        one: dict[str, Any] = {answer.outcome: 1}
        score = AnswerScore(answer.kind, 1, **one)
        scores[answer.kind] = scores[answer.kind] + score if answer.kind in scores else score
    answerable = [score for score in scores.values() if score.kind != NO_ANSWER]
    total = sum_scores(answerable)
    return (*scores.values(), total)


def sum_scores(scores: Sequence[AnswerScore]) -> AnswerScore:
    """Scores of several kinds or books together."""
    total = AnswerScore(ALL)
    for score in scores:
        total += score
    return total
