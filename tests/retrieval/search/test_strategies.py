import pytest

from retrieval.errors import UnknownNameError
from retrieval.search.strategies import STRATEGIES, scored, strategy


def test_a_model_can_be_named_for_a_strategy_that_asks_one() -> None:
    named = strategy("default+chat:llama3.1:8b")
    assert named.name == "default+chat:llama3.1:8b"
    assert named.order is not None
    assert (named.order.model, named.order.first) == ("llama3.1:8b", 20)


@pytest.mark.parametrize("name", ["default:llama3", "default+chat:", "best"])
def test_no_other_strategy_takes_a_model(name: str) -> None:
    with pytest.raises(UnknownNameError, match="no strategy is called"):
        strategy(name)


def test_no_build_asks_a_model_for_the_order() -> None:
    assert not [each.name for each in STRATEGIES.values() if each.order]


def test_scores_are_of_the_models_own_order_or_there_are_none() -> None:
    order = scored(strategy("default+chat")).order
    assert order.must
    assert scored(strategy("default")) is strategy("default")
