"""What the choice of cells is fitted on: rows, questions to which they are the answer, and the cells that say it."""

import random
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from evals.answers.said import cells_that_say, says
from evals.questions.question_sets import QuestionSet
from evals.questions.questions import Question
from retrieval.answer.cells import row_of
from retrieval.answer.column_features import Features, column_features
from retrieval.index.words.tokenizer import Tokenize
from retrieval.types import Chunk


@dataclass(frozen=True, slots=True, eq=False)
class CellExample:
    """A question, and the row that answers it."""

    source: str
    """The book, or the set of tables, that it is from; what is left out is one of these."""
    question: str
    generated: bool
    answer: str
    columns: tuple[str, ...]
    cells: tuple[str, ...]
    features: Features
    """(cells, `NAMES`)."""
    wanted: npt.NDArray[np.float64]
    """(cells,) that say the answer; sums to 1."""

    def read(self, scores: Features, most: int) -> bool:
        """Whether the cells of the highest scores say the answer."""
        best = np.argsort(-scores, kind="stable")[:most]
        return says((self.cells[place] for place in best.tolist()), self.answer)


def cell_examples(
    source: str, asked: QuestionSet, chunks: Sequence[Chunk], tokenize: Tokenize, most: int, seed: int = 0
) -> tuple[CellExample, ...]:
    """The questions of a set that one row answers, as examples; not those whose answer no cell has a word of.

    Args:
        source: their name.
        asked: the questions with their gold.
        chunks: of the index.
        tokenize: of the index.
        most: so many, drawn by the seed.
        seed: of the draw.
    """
    by_id = {chunk.id: chunk for chunk in chunks}
    gold = asked.resolution.gold
    usable = [
        (question, by_id[gold[question.id][0]])
        for question in asked.questions
        if question.answer and len(gold.get(question.id, ())) == 1 and by_id[gold[question.id][0]].cells
    ]
    drawn = random.Random(seed).sample(usable, min(most, len(usable)))
    found = (_example(source, question, chunk, tokenize) for question, chunk in drawn)
    return tuple(each for each in found if each is not None)


def _example(source: str, question: Question, chunk: Chunk, tokenize: Tokenize) -> CellExample | None:
    answer = question.answer or ""
    wanted = cells_that_say(answer, chunk.cells)
    if not wanted.any():
        return None
    features = column_features(question.query, row_of(chunk), tokenize)
    return CellExample(source, question.query, question.generated, answer, chunk.columns, chunk.cells, features, wanted)
