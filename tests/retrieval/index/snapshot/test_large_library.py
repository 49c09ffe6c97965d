"""A library that is too large for embedded collections: a whole snapshot without them, and over the bound and back."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pytest

from retrieval.errors import IndexCorruptError, IndexMissingError
from retrieval.index.chroma import soundness
from retrieval.index.chroma.soundness import EMBEDDED, NOWHERE, Fault, NeighbourSearch
from retrieval.index.places import Place
from retrieval.index.snapshot.live import promote, snapshot_folder
from retrieval.index.snapshot.snapshot import open_snapshot
from retrieval.index.snapshot.verification import is_as_built, verify_snapshot
from retrieval.index.transfer import pull_snapshot, push_snapshot
from tests.retrieval.index.conftest import build, held, only_id, vectors_of

BOUND = 50


@contextmanager
def bound(count: int) -> Iterator[None]:
    """Let more chunks than these be a large library."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(soundness, "EMBEDDED_UP_TO", count)
        yield


@pytest.fixture(autouse=True)
def low() -> Iterator[None]:
    with bound(BOUND):
        yield


@pytest.fixture
def large(tmp_path: Path) -> Path:
    build(tmp_path / "large", BOUND + 1)
    return tmp_path / "large"


def search_of(home: Path, name: str) -> NeighbourSearch:
    search = NeighbourSearch.read(snapshot_folder(home, name))
    assert search is not None
    return search


def faults_of(home: Path, name: str) -> tuple[Fault, ...]:
    with open_snapshot(home, name) as snapshot:
        return verify_snapshot(snapshot)


def has_collections(home: Path, name: str) -> bool:
    assert faults_of(home, name) == ()
    assert is_as_built(home, name)
    search, folder = search_of(home, name), snapshot_folder(home, name) / "chroma"
    assert folder.exists() is (search.place == EMBEDDED) is (search.ann_recall is not None)
    return folder.exists()


def test_it_is_whole_without_collections_and_says_so(large: Path) -> None:
    name = only_id(large)
    assert not has_collections(large, name)
    search = search_of(large, name)
    assert (search.place, search.exact, search.builds, search.hnsw) == (NOWHERE, True, 0, None)
    assert str(search) == "exact scan: 51 chunks have no graphs, which are made of 50 at most, or on a Chroma server"
    with open_snapshot(large, name) as snapshot:
        assert snapshot.scans
        with pytest.raises(IndexMissingError, match=r"51 chunks has no collections; .* name it as `chroma`"):
            snapshot.collections.count("open")


def test_it_is_the_snapshot_that_it_would_be_with_collections(large: Path, tmp_path: Path) -> None:
    with bound(BOUND + 1):
        assert build(tmp_path / "with", BOUND + 1).id == only_id(large)
        assert has_collections(tmp_path / "with", only_id(large))


def test_it_is_not_built_twice(large: Path) -> None:
    manifest = snapshot_folder(large, only_id(large)) / "manifest.json"
    before = manifest.stat().st_ino
    assert build(large, BOUND + 1).id == only_id(large)
    assert manifest.stat().st_ino == before


def test_it_grows_over_the_bound_and_shrinks_under_it(tmp_path: Path) -> None:
    names = {count: build(tmp_path, count).id for count in (49, 51, 50, 52, 48)}
    assert {count: has_collections(tmp_path, name) for count, name in names.items()} == {
        count: count <= BOUND for count in names
    }
    assert search_of(tmp_path, names[50]).changed == 1, "it begins as 49, and not as the nearer one that has none"
    assert search_of(tmp_path, names[48]).changed == 1, "as 49 too"
    fresh = tmp_path / "fresh"
    assert build(fresh, 48).id == names[48]
    with open_snapshot(tmp_path, names[48]) as one, open_snapshot(fresh, names[48]) as other:
        assert held(one) == held(other)


def test_collections_that_a_build_made_of_it_once_go_with_the_next(tmp_path: Path) -> None:
    with bound(BOUND + 1):
        name = build(tmp_path, BOUND + 1).id
    with open_snapshot(tmp_path, name) as snapshot:
        assert snapshot.scans
        assert verify_snapshot(snapshot) == (), "it is as whole as it was"
    assert not is_as_built(tmp_path, name)
    assert build(tmp_path, BOUND + 1).id == name
    assert not has_collections(tmp_path, name)


def test_a_higher_bound_makes_them(large: Path) -> None:
    name = only_id(large)
    with bound(BOUND + 1):
        assert faults_of(large, name) == (), "nothing that was there is missing"
        assert not is_as_built(large, name)
        assert build(large, BOUND + 1).id == name
        assert has_collections(large, name)


@pytest.mark.parametrize("lost", ["neighbour_search.json", "vectors.npy"])
def test_the_next_build_heals_it(large: Path, lost: str) -> None:
    name = only_id(large)
    (snapshot_folder(large, name) / lost).unlink()
    assert not is_as_built(large, name)
    build(large, BOUND + 1)
    assert not has_collections(large, name)


def test_a_damaged_one_is_not_verified(large: Path) -> None:
    name = only_id(large)
    with open_snapshot(large, name) as snapshot:
        (snapshot.folder / "rarity.npy").write_bytes(b"half")
        assert [fault.check for fault in verify_snapshot(snapshot)] == ["files"]
    with pytest.raises(IndexCorruptError, match=r"rarity\.npy"):
        open_snapshot(large, name)


def test_a_server_has_them_and_without_it_there_are_none_again(
    large: Path, chroma_server: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    name = only_id(large)
    monkeypatch.setenv("QUERYMUST_CHROMA", chroma_server)
    assert [fault.check for fault in faults_of(large, name)] == ["counts"], "the server was not filled"
    assert build(large, BOUND + 1).id == name
    assert faults_of(large, name) == ()
    with open_snapshot(large, name) as snapshot:
        assert snapshot.collections.count("open") == snapshot.manifest.n_open
        assert snapshot.collections.nearest("open", vectors_of(2)[1], 1).ids
    monkeypatch.delenv("QUERYMUST_CHROMA")
    with open_snapshot(large, name) as snapshot:
        assert snapshot.scans
    assert build(large, BOUND + 1).id == name
    assert not has_collections(large, name)


def test_it_travels_without_them(large: Path, tmp_path: Path) -> None:
    name, shared, reader = only_id(large), Place(str(tmp_path / "place")), tmp_path / "reader"
    promote(large, name)
    assert push_snapshot(large, shared, lambda *_: None).sent
    pull_snapshot(reader, shared, lambda *_: None)
    assert not has_collections(reader, name)
    assert search_of(reader, name) == search_of(large, name)


def test_one_that_lost_what_is_known_of_its_graphs_still_opens_and_travels(large: Path, tmp_path: Path) -> None:
    name = only_id(large)
    promote(large, name)
    (snapshot_folder(large, name) / "neighbour_search.json").unlink()
    assert faults_of(large, name) == ()
    assert push_snapshot(large, Place(str(tmp_path / "place")), lambda *_: None).sent


def test_what_a_server_held_is_not_missed_where_nothing_is_made(large: Path) -> None:
    folder = snapshot_folder(large, only_id(large))
    replace(search_of(large, folder.name), place="127.0.0.1:8000", exact=False).write(folder)
    assert faults_of(large, folder.name) == ()
    with open_snapshot(large, folder.name) as snapshot:
        assert snapshot.scans
    assert not is_as_built(large, folder.name)
