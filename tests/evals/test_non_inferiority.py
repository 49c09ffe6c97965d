"""What the gate says of a difference in mrr, and how often it is wrong."""

from dataclasses import replace

import numpy as np
import pytest

from evals.non_inferiority import MOVED, allowed, paired_changes
from evals.scored_questions import ScoredQuestion
from tests.scored_rows import scored_row

MOVES = (0.01, 0.2, 0.5, 0.5, 0.75, 0.95)
"""How far a question moves where it does, about as between versions of this program on three rule books."""


def row(number: int, mrr: float, book: str = "b", **given: str) -> ScoredQuestion:
    return scored_row(f"q{number}", book=book, values={"mrr": mrr}, **given)


def rows(values: list[float], **given: str) -> list[ScoredQuestion]:
    return [row(number, value, **given) for number, value in enumerate(values)]


def verdict(*gains: float) -> str:
    """On as many questions as there are gains, over what was 1 everywhere."""
    (change,) = paired_changes(rows([1 + gain for gain in gains]), rows([1.0] * len(gains)))
    return change.verdict


@pytest.mark.parametrize("n", [1, 2, 20, 500])
def test_the_same_ranking_always_passes(n: int) -> None:
    (change,) = paired_changes(rows([0.5] * n), rows([0.5] * n))
    assert (change.verdict, change.difference, change.low, change.high, change.lost) == ("not worse", 0, 0, 0, ())


def test_a_loss_within_the_margin_is_shown_by_many_questions_and_not_by_few() -> None:
    assert verdict(-0.5, *[0.0] * 199) == "not worse"
    assert verdict(-0.5, *[0.0] * 19) == "undecided"


def test_one_whole_question_may_be_lost_and_not_more() -> None:
    assert verdict(-1) == "undecided"
    assert verdict(-1, *[0.0] * 19) == "undecided"
    assert verdict(-1, -0.2, *[0.0] * 18) == "worse"
    assert verdict(-1, -1, +1, *[0.0] * 17) == "undecided"


def test_a_loss_beyond_chance_is_refused_though_it_is_small() -> None:
    assert verdict(*[-0.1] * 10) == "worse"
    assert verdict(*[-0.1] * 4) == "undecided"
    assert verdict(*[-0.03] * 8, *[0.0] * 12) == "not worse", "beyond chance, and less than 0.02"


def test_each_book_and_each_split_is_judged_by_itself() -> None:
    before = [row(n, 1.0, "one" if n < 20 else "two") for n in range(40)] + rows([1.0] * 30, split="generated")
    after = [row(n, 0.0 if n in {0, 1} else 1.0, "one" if n < 20 else "two") for n in range(40)]
    changes = paired_changes([*after, *rows([1.0] * 30, split="generated")], before)
    assert [(change.split, change.book, change.n, change.verdict) for change in changes] == [
        ("people", "*", 40, "worse"),
        ("people", "one", 20, "worse"),
        ("people", "two", 20, "not worse"),
        ("generated", "*", 30, "not worse"),
    ]
    assert changes[1].lost == ("q0", "q1")
    assert str(changes[1]).startswith("people, book one: -0.100 (-0.")


def library(lost: dict[str, int], books: int = 3) -> dict[str, str]:
    """Verdict by book, of so many books of 20 questions; in each one is up and one down, and some are lost."""
    before, after = [], []
    for book in range(books):
        for number in range(20):
            gone = number < lost.get(f"b{book}", 0)
            position = {"number": book * 20 + number, "book": f"b{book}"}
            before.append(row(mrr=0.5 if number > 17 else 1.0, **position))
            after.append(row(mrr={18: 0.6, 19: 0.4}.get(number, 0.0 if gone else 1.0), **position))
    return {change.book: change.verdict for change in paired_changes(after, before)}


def test_the_more_books_move_the_more_each_has_to_lose() -> None:
    """Of 20 questions, 1.03 in a book alone, 1.9 in one of three, 2.2 in one of ten."""
    assert library({"b0": 2}, books=1) == {"*": "worse"}
    assert library({"b0": 1}, books=1) == {"*": "undecided"}
    assert library({"b0": 2})["b0"] == "worse"
    assert library({"b0": 2}, books=10)["b0"] == "undecided"
    collapsed = library({"b0": 3}, books=10)
    assert [book for book, verdict in collapsed.items() if verdict == "worse"] == ["b0"]
    assert library({"b0": 1, "b1": 1, "b2": 1})["*"] == "worse", "what no book can say all of them can"


def test_books_in_which_nothing_moved_are_no_chances_to_look_worse() -> None:
    def changed(moving: int) -> str:
        before = [row(number, 1.0, f"b{number // 20}") for number in range(200)]
        after = [
            row(number, 0.45 if number < 3 else 0.999 if number % 20 == 19 and number < moving * 20 else 1.0, each.book)
            for number, each in enumerate(before)
        ]
        (first,) = [change for change in paired_changes(after, before) if change.book == "b0"]
        assert first.difference == pytest.approx(-0.0825, abs=0.0002)
        return first.verdict

    assert [changed(moving) for moving in (1, 10)] == ["worse", "undecided"]


def test_what_many_questions_gain_they_may_lose() -> None:
    restless = [0.9, 0.9, 0.9, -0.9, -0.9, -0.9]
    assert verdict(*restless, -0.9, -0.4, *[0.0] * 12) == "undecided"
    assert verdict(-0.9, -0.4, *[0.0] * 18) == "worse"
    assert allowed([0.0] * 20, 0.1) == pytest.approx(1.2816 * MOVED / 20**0.5, abs=1e-4)
    assert allowed([0.0] * 5, 0.1) == 0.2, "a whole question"


def test_only_what_both_were_asked_counts() -> None:
    query = [row(0, 0.0), row(1, 1.0)]
    (change,) = paired_changes([replace(query[0], query="else"), query[1]], [row(0, 1.0), row(1, 1.0)])
    assert (change.n, change.verdict) == (1, "not worse")
    assert paired_changes(rows([1.0]), rows([1.0], strategy="dense")) == ()


@pytest.mark.parametrize(
    ("n", "loss", "least", "most"), [(20, 0.0, 0.0, 0.2), (20, 0.1, 0.5, 1.0), (100, 0.1, 0.9, 1.0)]
)
def test_the_rates_of_refusals_are_as_documented(n: int, loss: float, least: float, most: float) -> None:
    random = np.random.default_rng(1)
    refused = 0
    for _ in range(60):
        moved = random.choice(MOVES, n) * random.choice([-1, 1], n) * (random.random(n) < 0.1)
        gains = np.where(random.random(n) < loss / 0.95, -0.95, moved)
        refused += verdict(*gains.tolist()) == "worse"
    assert least <= refused / 60 <= most
