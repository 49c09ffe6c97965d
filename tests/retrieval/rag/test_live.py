"""The live index: one that another promotion replaced is read no more."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING

import pytest

from retrieval.errors import IndexMissingError
from retrieval.home import Home
from retrieval.index.snapshot.live import live_id, promote
from retrieval.rag.live import LiveIndex

if TYPE_CHECKING:
    from pathlib import Path


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
