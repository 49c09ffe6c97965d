import threading

import pytest

from retrieval.errors import RetrievalTimeoutError
from retrieval.rag.deadline import AT_ONCE, Deadline


def test_work_that_is_done_in_time_gives_what_it_gives() -> None:
    assert Deadline(5).run(lambda: 7) == 7


def test_an_error_of_the_work_is_the_caller_s() -> None:
    def fail() -> None:
        raise KeyError("x")

    with pytest.raises(KeyError, match="x"):
        Deadline(5).run(fail)


def test_a_time_out_of_the_work_s_own_is_not_taken_for_ours() -> None:
    def fail() -> None:
        raise TimeoutError("the server's")

    with pytest.raises(TimeoutError, match="the server's"):
        Deadline(5).run(fail)


def test_work_that_hangs_is_given_up_and_holds_its_place() -> None:
    deadline, gate = Deadline(0.05), threading.Event()
    try:
        for _ in range(AT_ONCE):
            with pytest.raises(RetrievalTimeoutError, match=r"within 0\.05 seconds: the index or the embedder"):
                deadline.run(gate.wait)
        with pytest.raises(RetrievalTimeoutError, match=f"{AT_ONCE} questions before it"):
            deadline.run(lambda: 1)
    finally:
        gate.set()
    deadline.seconds = 5
    assert deadline.run(lambda: 1) == 1
