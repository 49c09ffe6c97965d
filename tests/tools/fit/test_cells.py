"""The choice of cells, fitted on rows that a test makes."""

import random
from dataclasses import replace

import pytest

from evals.questions.gold import Resolution
from evals.questions.question_sets import QuestionSet
from evals.questions.questions import Question
from retrieval.language.terms import tokens
from retrieval.rag.cells import NAMES
from tests.chunks import EMPTY
from tools.fit.cells import CellExample, cell_examples, cells_that_say, fit_cells, left_out, named, says, wanted_words
from tools.fit.logit import FittingError

COLUMNS = ("Ship", "Port", "Captain", "Tonnage")


def examples(source: str, n: int, *, seed: int = 0, is_book: bool = True) -> tuple[CellExample, ...]:
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
    question_set = QuestionSet(source, "open", tuple(questions), Resolution(gold, (), (), n))
    return tuple(cell_examples(source, question_set, chunks, tokens, is_book=is_book))


def test_a_question_whose_answer_no_cell_says_is_no_example() -> None:
    result = examples("a", 5)
    assert len(result) == 5
    assert all(each.wanted.sum() == pytest.approx(1.0) for each in result)
    assert all(each.features.shape == (4, len(NAMES)) for each in result)


def test_what_is_fitted_reads_what_it_never_saw() -> None:
    result = (*examples("a", 30), *examples("b", 30, seed=1))
    readings = left_out(result)
    assert [(reading.source, reading.n) for reading in readings] == [("a", 30), ("b", 30)]
    assert min(reading.first for reading in readings) > 0.9
    assert all(reading.within >= reading.first for reading in readings)


def test_a_second_fit_is_the_same_and_every_feature_is_named() -> None:
    result = examples("a", 20)
    assert fit_cells(result).tolist() == fit_cells(result).tolist()
    assert tuple(named(fit_cells(result))) == NAMES


def test_nothing_is_fitted_on_nothing() -> None:
    with pytest.raises(FittingError, match="there are none"):
        fit_cells(())


def test_what_stands_in_brackets_is_not_wanted() -> None:
    assert wanted_words("10 (from the table), 5,000 gp [p. 7]") == ["10", "5000", "gp"]


def test_texts_say_an_answer_whose_every_word_they_have() -> None:
    assert says(["1,200 gp", "heavy"], "1200 GP")
    assert says(["12", "Cr100,000"], "12, Cr100,000")
    assert not says(["12"], "12 kg")
    assert says([], "(nothing)")


def test_the_cells_that_say_an_answer_share_it() -> None:
    assert cells_that_say("3", ["x", "3", "4"]).tolist() == [0, 1, 0]
    assert cells_that_say("3", ["3", "3", "4"]).tolist() == [0.5, 0.5, 0]
    assert cells_that_say("12 kg, 5 gp", ["12 kg", "gold", "5 gp"]).tolist() == [0.5, 0, 0.5]
    assert cells_that_say("red", ["a red and a blue one", "red"]).tolist() == [0, 1]
    assert not cells_that_say("nine", ["ten", ""]).any()


def test_shares_sum_to_one() -> None:
    assert cells_that_say("a b c", ["a b", "b c", "c"]).sum() == pytest.approx(1.0)
