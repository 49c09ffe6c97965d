import threading
from pathlib import Path

import pytest

from retrieval.errors import VectorDBWriteError
from retrieval.rag.turn import writers_turn
from retrieval.write_lock import LOCK_FILE, HomeBusyError, write_lock


def test_an_ingestion_and_a_build_keep_each_other_out(tmp_path: Path) -> None:
    with writers_turn(tmp_path), pytest.raises(HomeBusyError), write_lock(tmp_path):
        pass
    with write_lock(tmp_path), pytest.raises(VectorDBWriteError, match="another process"), writers_turn(tmp_path, 0.1):
        pass
    with writers_turn(tmp_path):
        assert (tmp_path / LOCK_FILE).is_file()
    assert not (tmp_path / LOCK_FILE).exists()


def test_two_ingestions_take_turns(tmp_path: Path) -> None:
    inside, most, lock = 0, 0, threading.Lock()

    def work() -> None:
        nonlocal inside, most
        with writers_turn(tmp_path):
            with lock:
                inside += 1
                most = max(most, inside)
            with lock:
                inside -= 1

    threads = [threading.Thread(target=work) for _ in range(5)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert most == 1


def test_a_home_that_cannot_be_made_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(VectorDBWriteError, match="file/home"), writers_turn(tmp_path / "file" / "home"):
        pass
