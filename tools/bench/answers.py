"""Answers that are read, put beside those that people wrote, book by book."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from evals.answer_scores import HEADER, NO_ANSWER, AnswerScore, answer_questions, score_answers, sum_scores
from retrieval.rag.passages import Gatherer
from retrieval.rag.rag_context import ContextSource
from retrieval.settings import AnswerSettings
from retrieval.types import Embedder
from tools.corpora.indexes import Tell, asked_books


@dataclass(frozen=True, slots=True)
class BookAnswers:
    """What is answered to the questions about one book. Key: book."""

    book: str
    scores: tuple[AnswerScore, ...]
    """By kind, without the sum."""


@dataclass(frozen=True, slots=True)
class AnswersReport:
    """One run. Key: split, and the probability from which an answer is stated."""

    split: str
    min_probability: float
    books: tuple[BookAnswers, ...]

    def lines(self) -> Iterator[str]:
        """A markdown table: a line for each book with what it answers, then one for each kind of question."""
        yield from HEADER
        for book in self.books:
            answerable = [score for score in book.scores if score.kind != NO_ANSWER]
            yield replace(sum_scores(answerable), kind=book.book).line()
        for kind in dict.fromkeys(score.kind for book in self.books for score in book.scores):
            same = [score for book in self.books for score in book.scores if score.kind == kind]
            yield replace(sum_scores(same), kind=f"all: {kind}").line()


def run_answers(home: Path, data: Path, split: str, embedder: Embedder, tell: Tell = lambda *_: None) -> AnswersReport:
    """Ask every book under `data` that has questions of the split, with the settings that ship.

    Raises:
        BenchmarkDataError: no book has questions of the split.
    """
    settings = AnswerSettings()
    books: list[BookAnswers] = []
    for name, retriever, questions in asked_books(home, data, split, embedder, tell):
        answered = answer_questions(questions, Gatherer(ContextSource.of(retriever)), settings)
        books.append(BookAnswers(name, score_answers(answered)[:-1]))
    return AnswersReport(split, settings.min_probability, tuple(books))
