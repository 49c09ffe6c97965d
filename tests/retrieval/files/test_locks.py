import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from retrieval.files import locks
from retrieval.files.locks import (
    ALL,
    LOCK_FILE,
    Holder,
    HomeBusyError,
    HomeUnwritableError,
    among_books,
    book_turn,
    book_turn_now,
    holder,
    no_books,
    wait_until_left,
    write_lock,
    write_lock_when_free,
)

PROGRAM = """
import sys, time
from pathlib import Path
from retrieval.files.locks import write_lock
with write_lock(Path(sys.argv[1])):
    print("held", flush=True)
    sys.stdin.read()
"""


@contextmanager
def held_by_another(home: Path, program: str = PROGRAM) -> Iterator["subprocess.Popen[bytes]"]:
    """A process that holds the lock until its standard input ends."""
    with subprocess.Popen(
        [sys.executable, "-c", program, str(home)],
        cwd=Path(__file__).parents[3],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"held\n"
        yield process


def test_a_home_has_one_writer_and_says_which(tmp_path: Path) -> None:
    assert holder(tmp_path) is None
    with write_lock(tmp_path):
        result = holder(tmp_path)
        assert result.pid == Holder.here().pid
        with pytest.raises(HomeBusyError, match=rf"another build \(process {result.pid}, since ..:..\) is running in"):
            write_lock(tmp_path).__enter__()
    assert holder(tmp_path) is None
    assert list(tmp_path.iterdir()) == []


def test_a_home_that_was_not_there_is_not_left_behind_empty(tmp_path: Path) -> None:
    with write_lock(tmp_path / "home"):
        assert (tmp_path / "home" / LOCK_FILE).is_file()
    assert not (tmp_path / "home").exists()
    with write_lock(tmp_path / "home"):
        (tmp_path / "home" / "kept").write_text("")
    assert (tmp_path / "home" / "kept").exists()


def test_the_lock_goes_with_a_killed_process(tmp_path: Path) -> None:
    with held_by_another(tmp_path) as process:
        result = holder(tmp_path)
        assert result.pid == process.pid
        process.kill()
    assert (tmp_path / LOCK_FILE).exists()
    assert holder(tmp_path) is None
    with write_lock(tmp_path):
        pass
    assert not (tmp_path / LOCK_FILE).exists()


def test_a_holder_of_another_day_and_machine_says_so() -> None:
    here = Holder.here()
    there = replace(here, pid=7, host="elsewhere", since=datetime.now(UTC) - timedelta(days=2))
    assert str(there) == f"process 7 on elsewhere, since {there.since.astimezone():%Y-%m-%d %H:%M}"


def test_a_home_that_cannot_be_written_is_one_sentence(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with (
        pytest.raises(HomeUnwritableError, match=r"cannot be written .*name another with --home"),
        write_lock(tmp_path / "file" / "home"),
    ):
        pass


def test_a_home_without_the_right_to_write_is_one_sentence(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(*_: object, **__: object) -> int:
        raise PermissionError(13, "Permission denied", str(tmp_path))

    monkeypatch.setattr("retrieval.files.locks.os.open", refused)
    with pytest.raises(HomeUnwritableError, match="Permission denied"), write_lock(tmp_path):
        pass


def test_a_home_on_a_full_disk_is_one_sentence(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(*_: object) -> int:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("retrieval.files.locks.os.pwrite", refused)
    with pytest.raises(HomeUnwritableError, match="No space left"), write_lock(tmp_path):
        pass
    assert holder(tmp_path) is None


def test_who_waits_says_for_whom_once_and_goes_on_when_it_is_done(tmp_path: Path) -> None:
    told: list[str] = []
    with held_by_another(tmp_path) as process:
        assert process.stdin is not None
        threading.Timer(1.5, process.stdin.close).start()
        with write_lock_when_free(tmp_path, told.append):
            assert process.wait() == 0
    (output,) = told
    assert f"waiting for process {process.pid}, since" in output


ORPHANING = """
import subprocess, sys
from pathlib import Path
from retrieval.files.locks import write_lock
with write_lock(Path(sys.argv[1])) as lock:
    subprocess.Popen([sys.executable, "-c", "import time; time.sleep(1.5)"], pass_fds=(lock,))
    print("held", flush=True)
    sys.stdin.read()
"""


def test_the_workers_of_a_killed_process_are_given_the_time_to_notice(tmp_path: Path) -> None:
    with held_by_another(tmp_path, ORPHANING) as process:
        process.kill()
        process.wait()
        result = holder(tmp_path)
        assert result.pid == process.pid, "who is gone still holds it by its worker"
        with write_lock(tmp_path):
            pass


IN_ALPHA = """
import sys
from pathlib import Path
from retrieval.files.locks import among_books, book_turn
with among_books(Path(sys.argv[1])), book_turn(Path(sys.argv[1]), "alpha"):
    print("held", flush=True)
    sys.stdin.read()
"""


def test_one_process_is_in_a_book_and_others_are_in_others(tmp_path: Path) -> None:
    mine = among_books(tmp_path)
    with (
        held_by_another(tmp_path, IN_ALPHA),
        mine,
        book_turn_now(tmp_path, "alpha") as alpha,
        book_turn(tmp_path, "beta"),
    ):
        assert alpha is None
    with book_turn_now(tmp_path, "alpha") as alpha:
        assert alpha is not None


def test_nobody_writes_the_whole_home_while_a_book_is_indexed(tmp_path: Path) -> None:
    with (
        held_by_another(tmp_path, IN_ALPHA),
        pytest.raises(HomeBusyError, match="single books are active"),
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
        with among_books(tmp_path, lambda output: (told.append(output), waits.set())[0]):
            done.set()

    with write_lock(tmp_path):
        thread = threading.Thread(target=index)
        thread.start()
        assert waits.wait(10)
        assert not done.is_set()
    thread.join(10)
    assert done.is_set()
    assert told == [f"waiting for the process that writes in {tmp_path}"]


def test_a_killed_process_is_in_no_book_any_more(tmp_path: Path) -> None:
    with held_by_another(tmp_path, IN_ALPHA) as process:
        process.kill()
        process.wait()
        wait_until_left(tmp_path, ["alpha"])
        with no_books(tmp_path) as is_alone:
            assert is_alone


def test_what_a_build_is_done_with_is_known_to_its_other_processes(tmp_path: Path) -> None:
    with book_turn(tmp_path, "alpha") as turn:
        assert not turn.was_done_by("4711")
        turn.mark_done_by("a longer name of another build")
        turn.mark_done_by("4711")
    with book_turn(tmp_path, "alpha") as turn:
        assert turn.was_done_by("4711")
        assert not turn.was_done_by("471")


def test_a_run_between_two_of_its_processes_is_not_killed_and_a_finished_one_is_forgotten(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for run_id in ("between", "finished"):
        with locks.alive(tmp_path, run_id), locks.alive(tmp_path, run_id):
            assert locks.killed_runs(tmp_path, {run_id}) == ()
    assert locks.killed_runs(tmp_path, {"between"}) == ()
    monkeypatch.setattr(locks, "RUN_PAUSE", 0.0)
    assert locks.killed_runs(tmp_path, {"between"}) == ("between",)
    assert [path.name for path in tmp_path.rglob("*") if path.is_file()] == ["between"]
