import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from retrieval.book_lock import ALL, among_books, book_turn, book_turn_now, no_books, wait_until_left
from retrieval.write_lock import HomeBusyError, write_lock

PROGRAM = """
import sys
from pathlib import Path
from retrieval.book_lock import among_books, book_turn
with among_books(Path(sys.argv[1])), book_turn(Path(sys.argv[1]), "alpha"):
    print("in it", flush=True)
    sys.stdin.read()
"""


@contextmanager
def another_in_alpha(home: Path) -> Iterator["subprocess.Popen[bytes]"]:
    """A process that is in the book until its standard input ends."""
    with subprocess.Popen(
        [sys.executable, "-c", PROGRAM, str(home)],
        cwd=Path(__file__).parents[2],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"in it\n"
        yield process


def test_one_process_is_in_a_book_and_others_are_in_others(tmp_path: Path) -> None:
    mine = among_books(tmp_path)
    with another_in_alpha(tmp_path), mine, book_turn_now(tmp_path, "alpha") as alpha, book_turn(tmp_path, "beta"):
        assert alpha is None
    with book_turn_now(tmp_path, "alpha") as alpha:
        assert alpha is not None


def test_nobody_writes_the_whole_home_while_a_book_is_indexed(tmp_path: Path) -> None:
    with (
        another_in_alpha(tmp_path),
        pytest.raises(HomeBusyError, match="single books are at work"),
        write_lock(tmp_path),
    ):
        pass
    with write_lock(tmp_path):
        pass
    assert not (tmp_path / ALL).exists()


def test_a_run_of_a_book_waits_for_whoever_writes_the_whole_home(tmp_path: Path) -> None:
    told: list[str] = []
    waits, done = threading.Event(), threading.Event()

    def index() -> None:
        with among_books(tmp_path, lambda said: (told.append(said), waits.set())[0]):
            done.set()

    with write_lock(tmp_path):
        thread = threading.Thread(target=index)
        thread.start()
        assert waits.wait(10)
        assert not done.is_set()
    thread.join(10)
    assert done.is_set()
    assert told == [f"waits for whoever writes in {tmp_path}"]


def test_a_killed_process_is_in_no_book_any_more(tmp_path: Path) -> None:
    with another_in_alpha(tmp_path) as process:
        process.kill()
        process.wait()
        wait_until_left(tmp_path, ["alpha"])
        with no_books(tmp_path) as is_alone:
            assert is_alone


def test_what_a_build_is_done_with_is_known_to_its_other_processes(tmp_path: Path) -> None:
    with book_turn(tmp_path, "alpha") as turn:
        assert not turn.was_done_by("4711")
        turn.is_done_by("a longer name of another build")
        turn.is_done_by("4711")
    with book_turn(tmp_path, "alpha") as turn:
        assert turn.was_done_by("4711")
        assert not turn.was_done_by("471")
