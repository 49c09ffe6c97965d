from __future__ import annotations

from pathlib import Path

import pytest

from retrieval.errors import BudgetExceededError
from retrieval.models.chat import Answered, Asked, Usage
from retrieval.models.chat_prices import ChatPrice
from retrieval.models.spending import SPENDING_FILE, Ledger, Spending

PRICE = ChatPrice("m", 1.0, 2.0)
ASKED = Asked("m", (("user", "x" * 1000),), 1000)


def answered(prompt: int, completion: int) -> Answered:
    return Answered("", None, "stop", Usage(prompt, completion))


def test_what_is_set_aside_becomes_what_was_used(tmp_path: Path) -> None:
    spending = Spending(PRICE, Ledger(tmp_path), 1.0)
    one, other, _ = (spending.reserve(ASKED) for _ in range(3))
    assert spending.usd == pytest.approx(3 * spending.most(ASKED)) == spending.ledger.usd
    one.settle(answered(100, 50))
    other.release()
    assert spending.used == Usage(100, 50)
    assert spending.usd == pytest.approx(200e-6 + spending.most(ASKED))
    assert Ledger(tmp_path).usd == pytest.approx(spending.usd)


def test_a_budget_stops_before_it_is_passed_and_over_runs(tmp_path: Path) -> None:
    most = Spending(PRICE, Ledger(tmp_path)).most(ASKED)
    spending = Spending(PRICE, Ledger(tmp_path), 2.5 * most)
    spending.reserve(ASKED).settle(answered(0, 0))  # a server that does not count is taken to use everything
    spending.reserve(ASKED)
    with pytest.raises(BudgetExceededError, match=r"may cost \$0\.00\d+, and \$0\.00\d+ of the budget"):
        spending.reserve(ASKED)
    later = Spending(PRICE, Ledger(tmp_path), 2.5 * most)
    assert (later.usd, later.ledger.usd) == (0.0, pytest.approx(2 * most))
    with pytest.raises(BudgetExceededError):
        later.reserve(ASKED)


def test_a_line_that_a_kill_cut_short_is_as_if_it_were_not_written(tmp_path: Path) -> None:
    Ledger(tmp_path).write("a", 0.5)
    with (tmp_path / SPENDING_FILE).open("ab") as file:
        file.write(b'\n{"entry": "b", "us')
    assert Ledger(tmp_path).usd == 0.5
    Ledger(tmp_path).write("c", 0.25)
    assert Ledger(tmp_path).usd == 0.75


def test_without_a_price_nothing_is_counted_in_dollars(tmp_path: Path) -> None:
    spending = Spending(None, Ledger(tmp_path))
    spending.reserve(ASKED).settle(answered(5, 5))
    assert (spending.usd, spending.used.total) == (0.0, 10)
