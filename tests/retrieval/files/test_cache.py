import threading

import pytest

from retrieval.files import cache
from retrieval.files.cache import TimedCache


def test_a_value_is_kept_until_its_time_is_over() -> None:
    now = 0.0
    kept: TimedCache[str, int] = TimedCache(10, lambda: now)
    kept.keep("a", 1)
    now = 9.0
    assert kept.get("a") == 1
    now = 11.0
    assert (kept.get("a"), len(kept)) == (None, 0)


def test_the_first_of_two_is_kept_and_what_nobody_asked_for_goes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cache, "MOST", 2)
    kept: TimedCache[str, int] = TimedCache(10)
    assert [kept.keep("a", 1), kept.keep("a", 2)] == [1, 1]
    kept.keep("b", 2)
    assert kept.get("a") == 1
    kept.keep("c", 3)
    assert [kept.get(name) for name in "abc"] == [1, None, 3]


def test_without_time_nothing_is_kept() -> None:
    kept: TimedCache[str, int] = TimedCache(0)
    assert kept.keep("a", 1) == 1
    assert kept.get("a") is None


def test_threads_that_keep_at_once_get_the_first_value() -> None:
    kept: TimedCache[str, int] = TimedCache(300)
    got: list[int] = []
    ready = threading.Barrier(8)

    def keep(number: int) -> None:
        ready.wait()
        got.extend(kept.keep("a", number) for _ in range(200))

    threads = [threading.Thread(target=keep, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert (len(set(got)), len(got)) == (1, 1600)
