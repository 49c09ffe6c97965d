"""What is live, as Chroma's collections beside it."""

import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from pipeline.defs import live
from pipeline.runs.build import build
from retrieval.home import Home
from retrieval.index.chroma import open_chroma
from retrieval.index.snapshot.live import live_id
from retrieval.index.snapshot.snapshot import open_snapshot


def texts(place: Path) -> set[str]:
    with open_chroma(place) as client:
        return {
            text
            for name in ("open", "guarded")
            for text in client.get_collection(name, embedding_function=None).get()["documents"]
        }


def texts_live(home: Home) -> set[str]:
    with open_snapshot(home.root) as snapshot:
        return {chunk.text for chunk in snapshot.chunks}


def test_they_hold_what_is_live_after_each_build(tiny: Home) -> None:
    assert texts(tiny.chroma) == texts_live(tiny)
    page = tiny.library / "tiny" / "01.md"
    page.write_text(page.read_text("utf-8").replace("1d4", "2d8"), "utf-8")
    done = build(tiny)
    assert done.problems == []
    assert texts(tiny.chroma) == texts_live(tiny)
    assert done.library["chroma_collections"]["snapshot"] == live_id(tiny.root)
    assert done.library["chroma_collections"]["n_changed"] == 2, "one went and one came"


def test_what_was_deleted_is_filled_again_and_the_rest_is_left(tiny: Home) -> None:
    shutil.rmtree(tiny.chroma)
    (tiny.root / "finished.json").unlink()
    assert build(tiny).library["chroma_collections"]["n_changed"] == len(texts_live(tiny))
    assert texts(tiny.chroma) == texts_live(tiny)


def test_a_server_that_is_away_keeps_nothing_from_going_live(tiny: Home) -> None:
    page = tiny.library / "tiny" / "01.md"
    page.write_text(page.read_text("utf-8").replace("1d4", "2d8"), "utf-8")
    before = live_id(tiny.root)
    done = build(replace(tiny, settings=replace(tiny.settings, chroma="http://127.0.0.1:9")))
    assert [problem.where for problem in done.problems] == ["chroma_collections"]
    assert done.library["live_index"]["snapshot"] == live_id(tiny.root) != before


def test_a_large_library_has_none_here(tiny: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(live, "EMBEDDED_UP_TO", 3)
    shutil.rmtree(tiny.chroma)
    (tiny.root / "finished.json").unlink()
    done = build(tiny)
    assert (done.problems, done.library["chroma_collections"]["n_changed"]) == ([], 0)
    assert not tiny.chroma.exists()
