from __future__ import annotations

from pathlib import Path

import pytest

from retrieval.errors import BudgetExceededError
from retrieval.models.chat import Answered, ChatRequest, Usage
from retrieval.models.spending import SPENDING_FILE, ChatPrice, CostEstimate, Ledger, Spending, chat_price

PRICE = ChatPrice("m", 1.0, 2.0)
ASKED = ChatRequest("m", (("user", "x" * 1000),), 1000)


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


def test_a_price_has_a_date_and_tells_what_is_sent_from_what_is_answered() -> None:
    price = chat_price("gpt-4o-mini")
    assert price.as_of is not None
    assert price.of(Usage(1_000_000, 0)) == pytest.approx(0.15)
    assert price.of(Usage(0, 1_000_000)) == pytest.approx(0.60)


def test_a_dated_name_is_its_model_and_a_foreign_one_has_no_price() -> None:
    assert chat_price("gpt-4o-2024-08-06") == chat_price("gpt-4o")
    for foreign in ("llama3", "gpt-4o-search-api", "gpt-4o-production"):
        assert chat_price(foreign) is None


ESTIMATE_ASKED = ChatRequest("m", (("user", "x" * 3000),), 1000)


def test_about_is_less_than_at_most_and_both_are_told() -> None:
    result = CostEstimate.of([ESTIMATE_ASKED, ESTIMATE_ASKED], "tables", ChatPrice("m", 1.0, 2.0))
    assert result.n_requests == 2
    assert 2000 < result.likely.prompt < 6000 < result.most.prompt
    assert (result.likely.completion, result.most.completion) == (1000, 2000)
    assert result.most_usd == (result.most.prompt + 4000) / 1_000_000
    assert str(result).startswith(
        f"2 tables to send: about {result.likely.prompt:,} tokens, and 1,000 in answers; about $"
    )


def test_without_prices_it_says_so() -> None:
    assert str(CostEstimate.of((), "places", None)) == (
        "0 places to send: about 0 tokens, and 0 in answers; the prices of the model are unknown"
    )
