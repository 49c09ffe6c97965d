from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from retrieval.models.pace import MINUTE, Pace


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
