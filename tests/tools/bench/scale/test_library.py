import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from retrieval.index.embedding.embedders import load_embedder
from tools.bench.scale.library import ScaleIndex, SingleCollection, scale_index, synthetic_library
from tools.bench.scale.run import EMBEDDER
from tools.cli import main

LIBRARY = synthetic_library(200, 0)


def build(home: Path, seed: int = 0) -> tuple[ScaleIndex, list[str]]:
    told: list[str] = []
    return scale_index(home, LIBRARY, seed, load_embedder(EMBEDDER), lambda stage, *_: told.append(stage)), told


@pytest.fixture
def single(tmp_path: Path) -> Iterator[SingleCollection]:
    build(tmp_path)
    store = SingleCollection(tmp_path / "single")
    yield store
    store.close()


def test_a_second_run_takes_the_index_up_again(tmp_path: Path) -> None:
    first, told = build(tmp_path)
    again, nothing = build(tmp_path)
    assert again == first
    assert {"lexical", "collections"} <= set(told)
    assert nothing == []


def test_another_library_takes_its_place(tmp_path: Path) -> None:
    first, _ = build(tmp_path)
    other, told = build(tmp_path, seed=1)
    assert other.key != first.key
    assert "collections" in told
    assert [path.name for path in (tmp_path / "snapshots").iterdir()] == [other.snapshot]


def test_the_one_collection_is_made_where_it_is_wanted(tmp_path: Path) -> None:
    without = scale_index(tmp_path, LIBRARY, 0, load_embedder(EMBEDDER), lambda *_: None, single=False)
    assert not (tmp_path / "single").exists()
    result, told = build(tmp_path)
    assert "collections" in told
    assert result.key != without.key
    assert result.snapshot == without.snapshot


def test_one_collection_holds_everything(single: SingleCollection) -> None:
    assert single.collection.count() == len(LIBRARY)


def test_without_bm25s_the_command_says_in_one_line_what_to_install(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(sys.modules, "bm25s", None)
    monkeypatch.setattr(sys, "argv", ["python -m tools", "bench", "scale"])
    with pytest.raises(SystemExit) as stop:
        main()
    readouterr = capsys.readouterr()
    assert (stop.value.code, readouterr.out) == (2, "")
    assert readouterr.err.startswith("error: bm25s is not installed")
    assert readouterr.err.strip().endswith("run: pip install -e '.[dev]'")
    assert len(readouterr.err.strip().splitlines()) == 1
