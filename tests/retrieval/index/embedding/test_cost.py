from dataclasses import replace

import pytest

from retrieval.errors import BudgetExceededError
from retrieval.index.embedding.cost import Cost
from retrieval.index.embedding.embedders import load_embedder
from retrieval.index.embedding.prices import price_of


def test_a_price_and_a_budget() -> None:
    paid = Cost.of(["x" * 2_000_000], price_of(load_embedder("openai").identity))
    assert (paid.n_texts, paid.tokens, paid.usd) == (1, 1_000_000, pytest.approx(0.02))
    for budget in (None, 0.02, 1.0):
        paid.require_within(budget)
    with pytest.raises(
        BudgetExceededError, match=r"1 chunks .* up to \$0\.0200 .* budget_usd is 0\.01; .*nothing was sent"
    ):
        paid.require_within(0.01)
    replace(paid, price=None).require_within(0.0)


@pytest.mark.parametrize(("texts", "tokens"), [([], 0), (["", "abc", "abcd"], 0 + 2 + 2), (["語" * 10], 15)])
def test_tokens_are_the_most_that_there_can_be_in_any_script(texts: list[str], tokens: int) -> None:
    assert Cost.of(texts, None).tokens == tokens


def test_less_than_a_hundredth_of_a_cent_is_not_told_apart() -> None:
    price = price_of(load_embedder("openai").identity)
    assert "less than $0.0001" in str(Cost.of(["a word"], price))
    assert "up to $0.0000" in str(Cost.of([], price))
    assert str(Cost.of(["abcd"], None)) == "up to 2 tokens, which cost nothing here"
