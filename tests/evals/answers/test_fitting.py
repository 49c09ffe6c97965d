"""The choice of cells, fitted on rows that a test makes."""

import random
from dataclasses import replace

import pytest

from evals.answers.examples import CellExample, cell_examples
from evals.answers.fitting import fit_cells, left_out, named
from evals.errors import FittingError
from evals.questions.gold import Resolution
from evals.questions.question_sets import QuestionSet
from evals.questions.questions import Question
from retrieval.answer.column_features import NAMES
from retrieval.index.words.tokenizer import tokens
from tests.chunks import EMPTY

COLUMNS = ("Ship", "Port", "Captain", "Tonnage")


def examples(source: str, n: int, *, seed: int = 0) -> tuple[CellExample, ...]:
    drawn = random.Random(seed)
    chunks, questions, gold = [], [], {}
    for number in range(n):
        cells = (f"Ship{number}", f"Port{drawn.randrange(99)}", f"Ann B{number}", str(drawn.randrange(100, 999)))
        column = drawn.randrange(1, 4)
        chunk = replace(EMPTY, id=f"{source}{number}", kind="row", columns=COLUMNS, cells=cells, row_key=cells[0])
        chunks.append(chunk)
        questions.append(Question(f"q{number}", f"{COLUMNS[column].lower()} of ship{number}", answer=cells[column]))
        gold[f"q{number}"] = (chunk.id,)
    questions.append(Question("nowhere", "what colour is it", answer="green"))
    gold["nowhere"] = (chunks[0].id,)
    asked = QuestionSet(source, "open", tuple(questions), Resolution(gold, (), (), n))
    return cell_examples(source, asked, chunks, tokens, most=n + 1)


def test_a_question_whose_answer_no_cell_says_is_no_example() -> None:
    found = examples("a", 5)
    assert len(found) == 5
    assert all(each.wanted.sum() == pytest.approx(1.0) for each in found)
    assert all(each.features.shape == (4, len(NAMES)) for each in found)


def test_what_is_fitted_reads_what_it_never_saw() -> None:
    found = (*examples("a", 30), *examples("b", 30, seed=1))
    readings = left_out(found)
    assert [(each.source, each.n) for each in readings] == [("a", 30), ("b", 30)]
    assert min(each.first for each in readings) > 0.9
    assert all(each.within >= each.first for each in readings)


def test_a_second_fit_is_the_same_and_every_feature_is_named() -> None:
    found = examples("a", 20)
    assert fit_cells(found).tolist() == fit_cells(found).tolist()
    assert tuple(named(fit_cells(found))) == NAMES


def test_nothing_is_fitted_on_nothing() -> None:
    with pytest.raises(FittingError, match="there are none"):
        fit_cells(())
