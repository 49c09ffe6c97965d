import random

import numpy as np
import pytest

from evals.calibration.examples import Put
from evals.calibration.fitting import WITHOUT_COSINES, fit, weights_of
from evals.calibration.leaving_out import by_book, left_out, of_books
from evals.errors import FittingError
from retrieval.rag.measures import NAMES


def example(book: str, source: str, answered: bool, generated: bool, dice: random.Random) -> Put:
    level = 0.7 if answered else 0.3
    values = [min(1.0, max(0.0, dice.gauss(level, 0.15))) for _ in NAMES]
    values[NAMES.index("unknown")] = 1 - values[0]
    values[NAMES.index("numbered")] = 1 - values[1]  # speaks against: a weight may not say so
    return Put("s", book, source, f"q{dice.random()}", generated, answered, tuple(values))


@pytest.fixture(scope="module")
def examples() -> tuple[Put, ...]:
    dice = random.Random(1)
    found = []
    for book in "abc":
        for generated in (False, True):
            found += [example(book, book, True, generated, dice) for _ in range(60)]
            found += [
                example(book, other, False, generated, dice) for other in "abc" if other != book for _ in range(40)
            ]
        found += [example(book, book, False, False, dice) for _ in range(5)]
    return tuple(found)


def test_no_weight_works_against_what_it_measures(examples: tuple[Put, ...]) -> None:
    found = fit(examples, "wordllama", "default")
    weights = dict(zip(found.names, found.weights, strict=True))
    assert weights.pop("unknown") <= 0
    assert weights["numbered"] == 0
    assert min(weights.values()) >= 0
    assert max(weights.values()) > 1


def test_a_second_fit_is_the_same(examples: tuple[Put, ...]) -> None:
    assert fit(examples, "x", "default") == fit(examples, "x", "default")
    assert fit(examples, "any", "default", WITHOUT_COSINES).names == WITHOUT_COSINES
    assert set(NAMES) - set(WITHOUT_COSINES) == {"best_cosine", "ahead"}


def test_one_kind_of_question_fits_nothing(examples: tuple[Put, ...]) -> None:
    with pytest.raises(FittingError, match="one kind is missing"):
        fit([each for each in examples if each.answered], "x", "default")


def test_questions_with_and_without_an_answer_weigh_the_same_whatever_their_number(examples: tuple[Put, ...]) -> None:
    for some in (examples, examples[:70], [each for each in examples if not each.generated]):
        weights, answered = weights_of(some), np.asarray([each.answered for each in some])
        assert weights[answered].sum() == pytest.approx(0.5)
        assert weights.sum() == pytest.approx(1.0)
    weights = weights_of(examples)
    near = np.asarray([each.is_near_miss for each in examples])
    people = np.asarray([not each.generated and each.answered for each in examples])
    assert weights[near].sum() == pytest.approx(0.5 * 0.12)
    assert weights[people].sum() == pytest.approx(0.5 * 0.8)


def test_a_book_is_judged_by_what_had_nothing_of_it(examples: tuple[Put, ...]) -> None:
    relevance = left_out(examples, "x", "default")
    without = fit([each for each in examples if "a" not in {each.book, each.source}], "x", "default")
    at = [place for place, each in enumerate(examples) if each.book == "a"]
    expected = [without.of(np.asarray([examples[place].values]))[0] for place in at]
    assert relevance[at] == pytest.approx(expected)


def test_a_row_a_book_counts_people_s_questions_and_generated_ones_apart(examples: tuple[Put, ...]) -> None:
    relevance = left_out(examples, "x", "default")
    rows = by_book(examples, relevance)
    assert [row.book for row in rows] == ["a", "b", "c"]
    first = rows[0]
    assert (first.reliability.n_answered, first.reliability.n_unanswered, first.n_near) == (60, 85, 5)
    assert first.reliability.auc > 0.95
    assert (first.met_answered or 0) > 0.8 > 0.2 > (first.met_other or 0)
    assert first.met_generated is not None
    assert of_books("none", examples[:10], relevance[:10], 0.6) is None
