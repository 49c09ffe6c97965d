from __future__ import annotations

import pytest

from retrieval.models.chat import Usage
from retrieval.models.chat_prices import chat_price


def test_a_price_has_a_date_and_tells_what_is_sent_from_what_is_answered() -> None:
    price = chat_price("gpt-4o-mini")
    assert price is not None
    assert price.as_of is not None
    assert price.of(Usage(1_000_000, 0)) == pytest.approx(0.15)
    assert price.of(Usage(0, 1_000_000)) == pytest.approx(0.60)


def test_a_dated_name_is_its_model_and_a_foreign_one_has_no_price() -> None:
    assert chat_price("gpt-4o-2024-08-06") == chat_price("gpt-4o")
    assert chat_price("llama3") is None
