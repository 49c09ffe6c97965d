"""What the page says of each strategy."""

from __future__ import annotations

from retrieval.search.strategies import STRATEGIES
from retrieval.serve.about import ABOUT


def test_each_strategy_has_one_sentence() -> None:
    assert set(ABOUT) == set(STRATEGIES)
    assert all(each.endswith(".") and each.count(".") == 1 for each in ABOUT.values())


def test_a_strategy_is_said_to_have_no_filter_exactly_where_it_has_none() -> None:
    assert {name for name, said in ABOUT.items() if "without a filter" in said} == {
        name for name, each in STRATEGIES.items() if each.query_must == "off"
    }
