from retrieval.models.chat import Asked
from retrieval.models.chat_prices import ChatPrice
from retrieval.models.estimate import Estimate

ASKED = Asked("m", (("user", "x" * 3000),), 1000)


def test_about_is_less_than_at_most_and_both_are_told() -> None:
    found = Estimate.of([ASKED, ASKED], "tables", ChatPrice("m", 1.0, 2.0))
    assert found.n_requests == 2
    assert 2000 < found.likely.prompt < 6000 < found.most.prompt
    assert (found.likely.completion, found.most.completion) == (1000, 2000)
    assert found.most_usd == (found.most.prompt + 4000) / 1_000_000
    assert str(found).startswith(f"2 tables to send: about {found.likely.prompt:,} tokens, and 1,000 answered; about $")


def test_without_prices_it_says_so() -> None:
    assert str(Estimate.of((), "places", None)) == (
        "0 places to send: about 0 tokens, and 0 answered; nobody here knows the prices of the model"
    )
