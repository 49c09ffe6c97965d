import shutil
from dataclasses import replace
from pathlib import Path

from retrieval.index.chroma.soundness import NeighbourSearch
from retrieval.index.snapshot.snapshot import Snapshot, open_snapshot
from retrieval.search.retriever import Retriever
from tests.retrieval.search.conftest import ToyEmbedder

QUESTIONS = ["what does a cleric need to hit ac 6", "price of a crossbow", "a dragon over the tavern at night"]


def found(snapshot: Snapshot, strategy: str) -> list[tuple[str, ...]]:
    retriever = Retriever(snapshot, ToyEmbedder())
    return [retriever.retrieve(question, 15, strategy).chunk_ids for question in QUESTIONS]


def test_comparing_every_vector_finds_what_sound_graphs_find(snapshot: Snapshot, tmp_path: Path) -> None:
    home = tmp_path / "home"
    shutil.copytree(snapshot.folder, home / "snapshots" / snapshot.id)
    search = NeighbourSearch.read(snapshot.folder)
    assert search is not None
    replace(search, exact=True).write(home / "snapshots" / snapshot.id)
    with open_snapshot(home, snapshot.id) as scanned:
        assert (snapshot.scans, scanned.scans) == (False, True)
        assert found(scanned, "iterative") == found(snapshot, "iterative")
        assert "collections" in snapshot.__dict__
        assert "collections" not in scanned.__dict__


def test_graphs_of_which_nothing_is_known_are_not_asked(snapshot: Snapshot, tmp_path: Path) -> None:
    home = tmp_path / "home"
    shutil.copytree(snapshot.folder, home / "snapshots" / snapshot.id)
    (home / "snapshots" / snapshot.id / "neighbour_search.json").unlink()
    with open_snapshot(home, snapshot.id) as unknown:
        assert unknown.scans
        assert found(unknown, "iterative") == found(snapshot, "iterative")
