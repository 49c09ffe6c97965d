from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from retrieval.errors import ModelKeyError, UnreadableSettingsError
from retrieval.models.access import MINUTE, Access, Limits, Pace


def test_a_key_is_never_shown() -> None:
    access = Access.of_environment({"OPENAI_API_KEY": " sk-a-secret\n", "OPENAI_BASE_URL": ""})
    assert access == Access("sk-a-secret")
    assert "sk-a-secret" not in f"{access!r} {access}"
    assert access.hidden("no key sk-a-secret here") == "no key *** here"
    assert Access().hidden("nothing to hide") == "nothing to hide"


def test_a_missing_or_a_broken_key_is_one_line() -> None:
    assert not Access.of_environment({})
    with pytest.raises(ModelKeyError, match=r"^the model needs OPENAI_API_KEY; set it, or do without$"):
        Access().require("the model", "do without")
    with pytest.raises(ModelKeyError, match="a character that no key can have") as raised:
        Access("sk-ä-secret").require("the model", "do without")
    assert "secret" not in str(raised.value)
    Access("sk-fine").require("the model", "do without")


def test_limits_are_read_from_the_environment() -> None:
    environment = {"QUERYMUST_MODEL_CONCURRENCY": "2", "QUERYMUST_MODEL_TOKENS_PER_MINUTE": "30000"}
    assert Access.of_environment(environment).limits == Limits(2, 30_000)
    assert Access.of_environment({}).limits == Limits(8, None)
    with pytest.raises(UnreadableSettingsError, match="QUERYMUST_MODEL_CONCURRENCY is 'many'"):
        Access.of_environment({"QUERYMUST_MODEL_CONCURRENCY": "many"})


def test_nothing_waits_without_a_limit() -> None:
    assert [Pace(None).wait_for(10**9) for _ in range(3)] == [0.0, 0.0, 0.0]


def test_a_minute_that_is_full_makes_the_next_request_wait_for_its_oldest_tokens() -> None:
    now = 100.0
    pace = Pace(1000, lambda: now)
    assert [pace.wait_for(600), pace.wait_for(400)] == [0.0, 0.0]
    now = 110.0
    assert pace.wait_for(500) == 50.0  # when the first 600 are a minute old
    assert pace.wait_for(100) == 50.0  # in its turn, though it would have fitted
    now = 400.0
    assert pace.wait_for(5000) == 0.0  # more than a minute's share goes alone
    assert pace.wait_for(1) == 60.0


@settings(max_examples=60)
@given(st.lists(st.tuples(st.integers(0, 30), st.integers(1, 700)), min_size=1, max_size=40))
def test_no_minute_ever_holds_more_than_the_limit(requests: list[tuple[int, int]]) -> None:
    now = 0.0
    pace = Pace(1000, lambda: now)
    sent: list[tuple[float, int]] = []
    for later, tokens in requests:
        now += later
        sent.append((now + pace.wait_for(tokens), tokens))
    for at, _ in sent:
        assert sum(tokens for other, tokens in sent if at - MINUTE < other <= at) <= 1000
