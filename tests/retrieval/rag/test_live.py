"""The live index: one that another promotion replaced is read no more."""

from __future__ import annotations

import shutil
import threading
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from retrieval.errors import IndexMissingError, VectorDBWriteError
from retrieval.files.locks import LOCK_FILE, HomeBusyError, write_lock
from retrieval.home import Home
from retrieval.index.snapshot.live import live_id, promote
from retrieval.rag.live import LiveIndex, writers_turn

if TYPE_CHECKING:
    from retrieval.rag.rag_context import ContextSource


def test_the_snapshot_that_is_live_is_read_and_kept_open(sample: Home) -> None:
    live = LiveIndex(sample)
    first = live.reader()
    assert first.retriever.snapshot.id == live_id(sample.root)
    assert live.reader() is first
    live.close()
    assert live.reader() is not first
    live.close()


def test_another_snapshot_is_opened_once_it_is_live(skirmish_home: Path, weapons_home: Path, tmp_path: Path) -> None:
    root = tmp_path / "home"
    shutil.copytree(skirmish_home, root)
    other = live_id(weapons_home)
    shutil.copytree(weapons_home / "snapshots" / other, root / "snapshots" / other)
    live = LiveIndex(Home.at(root))
    before = live.ask(lambda reader: reader.retriever.snapshot.id)
    promote(root, other)
    assert before != other
    assert live.ask(lambda reader: reader.retriever.snapshot.id) == other
    live.close()


def test_a_home_without_an_index_says_what_to_do(tmp_path: Path) -> None:
    with pytest.raises(IndexMissingError, match="querymust build"):
        LiveIndex(Home.at(tmp_path)).reader()


def test_what_is_made_of_a_reader_is_made_once_and_let_go_of_with_it(twice_live: tuple[Home, str, str]) -> None:
    home, first, second = twice_live
    made: list[str] = []

    def make(reader: ContextSource) -> str:
        made.append(reader.retriever.snapshot.id)
        return made[-1]

    index = LiveIndex(home)
    before = index.reader()
    assert [index.ask(lambda reader: index.made_of(reader, make)) for _ in range(2)] == [second, second]
    assert made == [second]
    promote(home.root, first)
    assert index.ask(lambda reader: index.made_of(reader, make)) == first
    assert index.made_of(before, make) == second, "who still asks the one before gets what belongs to it"
    assert made == [second, first, second]
    index.close()
    index.ask(lambda reader: index.made_of(reader, make))
    assert made == [second, first, second, first]
    index.close()


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
