"""Answers that are read, beside those that people wrote."""

from dataclasses import dataclass, replace
from functools import reduce
from operator import add

from evals.answers.said import says
from evals.questions.question_sets import QuestionSet
from evals.questions.questions import Question
from retrieval.answer.context import Gatherer
from retrieval.answer.reading import read

LOOK_UP = "matrix-lookup"


@dataclass(frozen=True, slots=True)
class AnsweredBook:
    """What is read of one book. Key: book."""

    book: str
    look_ups: int
    said: int
    """Look-ups of which every number and word of the answer outside brackets stands in the cells that were read; of one
    that is refused nothing is."""
    said_with_heads: int
    """... or in the heads of their columns, which say the unit."""
    cells: int
    """That were read for them."""
    answerable: int
    refused: int
    """Of these."""
    unanswerable: int
    refused_rightly: int

    def __add__(self, other: "AnsweredBook") -> "AnsweredBook":
        names = [name for name in self.__dataclass_fields__ if name != "book"]
        return AnsweredBook("all", **{name: getattr(self, name) + getattr(other, name) for name in names})


def answered(book: str, asked: QuestionSet, gatherer: Gatherer, most: int, least: float) -> AnsweredBook:
    """Put the questions of a book to it.

    Args:
        book: its name.
        asked: questions of people, with their answers.
        gatherer: over its index.
        most: passages that an answer is made from.
        least: relevance that the best of them must reach.
    """
    found = (_answered(question, gatherer, most, least) for question in asked.scored)
    return replace(reduce(add, found, AnsweredBook("", 0, 0, 0, 0, 0, 0, 0, 0)), book=book)


def _answered(question: Question, gatherer: Gatherer, most: int, least: float) -> AnsweredBook:
    context = gatherer.gather(question.query, most, least)
    refused = int(not context.passages)
    if not question.gold:
        return AnsweredBook("", 0, 0, 0, 0, 0, 0, 1, refused)
    if question.kind != LOOK_UP or not question.answer:
        return AnsweredBook("", 0, 0, 0, 0, 1, refused, 0, 0)
    cells = read(context)
    said = says((cell.text for cell in cells), question.answer)
    with_heads = says((text for cell in cells for text in (cell.text, cell.column)), question.answer)
    return AnsweredBook("", 1, int(said), int(with_heads), len(cells), 1, refused, 0, 0)
