"""Deadlines, and whose turn it is."""

import threading
from time import sleep

import pytest

from retrieval.deadline import AT_ONCE, Deadline, require_waiting_caller, waiting_for_server
from retrieval.errors import RetrievalTimeoutError


def test_errors_and_time_outs_of_the_work_itself_are_the_caller_s() -> None:
    assert Deadline(5).run(lambda: 7) == 7

    def fail() -> None:
        raise KeyError("x")

    with pytest.raises(KeyError, match="x"):
        Deadline(5).run(fail)

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


def test_work_that_nobody_waits_for_any_more_ends_at_its_next_step() -> None:
    ended = threading.Event()

    def work() -> None:
        try:
            while True:
                require_waiting_caller()
        finally:
            ended.set()

    with pytest.raises(RetrievalTimeoutError, match=r"within 0\.05 seconds"):
        Deadline(0.05).run(work)
    assert ended.wait(5)
    require_waiting_caller()  # this thread's own time is not over


class Crowd:
    """Work of several callers, which counts how many of them work at a time."""

    def __init__(self) -> None:
        self.working, self.most, self._lock = 0, 0, threading.Lock()

    def enter(self) -> None:
        with self._lock:
            self.working += 1
            self.most = max(self.most, self.working)

    def leave(self) -> None:
        with self._lock:
            self.working -= 1

    def run(self, deadline: Deadline, *works: object) -> None:
        threads = [threading.Thread(target=deadline.run, args=(work,)) for work in works]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()


def test_one_question_is_calculated_at_a_time() -> None:
    crowd = Crowd()

    def work() -> None:
        crowd.enter()
        sleep(0.01)  # hands the interpreter to the others
        crowd.leave()

    crowd.run(Deadline(30), *[work] * 8)
    assert crowd.most == 1


def test_others_calculate_while_one_waits_for_a_server_and_then_it_waits_for_its_turn() -> None:
    crowd, both_wait = Crowd(), threading.Barrier(2, timeout=10)

    def work() -> None:
        crowd.enter()
        crowd.leave()
        with waiting_for_server():
            both_wait.wait()
        crowd.enter()
        sleep(0.01)
        crowd.leave()

    crowd.run(Deadline(30), work, work)
    assert crowd.most == 1


def test_who_waits_for_a_server_outside_of_a_deadline_just_waits() -> None:
    with waiting_for_server():
        pass


def test_work_that_hangs_loses_its_turn_at_its_deadline() -> None:
    deadline, gate = Deadline(0.05), threading.Event()
    try:
        with pytest.raises(RetrievalTimeoutError):
            deadline.run(gate.wait)
        deadline.seconds = 20  # whoever waited for the turn of the first would wait for half of it
        assert deadline.run(lambda: 1) == 1
    finally:
        gate.set()
