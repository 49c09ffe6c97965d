"""."""

import shutil
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import numpy as np
import pytest

from retrieval.errors import EmbedderMismatchError, IndexCorruptError, StoreUnavailableError, UnreadableSettingsError
from retrieval.index.chroma.foreign import collection_named, open_chroma
from retrieval.index.chroma.store import ChromaServer, ChromaStore
from retrieval.index.snapshot.snapshot import open_snapshot
from retrieval.index.snapshot.verification import verify_snapshot
from tests.retrieval.conftest import free_port
from tests.retrieval.index.conftest import build, chunk, only_id, vectors_of

IDS = [f"chunk-{number:03}" for number in range(40)]


def rows(count: int) -> np.ndarray:
    matrix = np.random.default_rng(1).normal(size=(count, 8)).astype(np.float32)
    return matrix / np.linalg.norm(matrix, axis=1, keepdims=True)


@pytest.fixture
def store(tmp_path: Path) -> Iterator[ChromaStore]:
    made = ChromaStore(tmp_path / "chroma")
    for name in ("open", "guarded"):
        made.create(name)
    metadata = [{"id": chunk_id, "tags": ("a", "b"), "none": ()} for chunk_id in IDS]
    assert sum(made.add("open", IDS, rows(40), metadata)) == 40
    yield made
    made.close()


def test_a_vector_finds_itself_then_what_is_nearest(store: ChromaStore) -> None:
    matrix = rows(40)
    answer = store.nearest("open", matrix[7], 5)
    exact = np.argsort(-(matrix @ matrix[7]))[:5]
    assert answer.ids == tuple(IDS[position] for position in exact)
    assert answer.distances[0] == pytest.approx(0, abs=1e-5)


def test_excluded_ids_do_not_come_back(store: ChromaStore) -> None:
    seen = set(store.nearest("open", rows(40)[7], 5).ids)
    assert not seen & set(store.nearest("open", rows(40)[7], 35, excluding=seen).ids)


def test_more_than_there_are_gives_all_and_an_empty_collection_gives_none(store: ChromaStore) -> None:
    assert sorted(store.nearest("open", rows(1)[0], 1000).ids) == IDS
    assert store.nearest("guarded", rows(1)[0], 5).ids == ()


def test_another_dimension_is_refused(store: ChromaStore) -> None:
    with pytest.raises(EmbedderMismatchError, match="ask with the embedder that built it"):
        store.nearest("open", np.ones(5, dtype=np.float32), 3)


def test_a_closed_store_can_be_moved_and_opened_again(tmp_path: Path) -> None:
    first = ChromaStore(tmp_path / "building")
    first.create("open")
    list(first.add("open", IDS, rows(40), [{"id": chunk_id} for chunk_id in IDS]))
    first.close()
    (tmp_path / "building").rename(tmp_path / "final")
    second = ChromaStore(tmp_path / "final")
    assert second.nearest("open", rows(40)[3], 1).ids == (IDS[3],)
    assert second.count("open") == 40
    stored = second.vectors("open", [IDS[2], "unknown"])
    assert list(stored) == [IDS[2]]
    assert stored[IDS[2]] == pytest.approx(rows(40)[2])
    second.close()


def test_a_folder_that_is_no_chroma_is_a_corrupt_index(tmp_path: Path) -> None:
    (tmp_path / "chroma.sqlite3").write_bytes(b"not a database" * 1000)
    with pytest.raises(IndexCorruptError, match="build the index again"):
        ChromaStore(tmp_path).count("open")


def test_a_folder_that_was_damaged_opens_in_the_same_process_once_it_is_repaired(tmp_path: Path) -> None:
    whole = ChromaStore(tmp_path / "whole")
    whole.create("open")
    whole.close()
    (tmp_path / "used").mkdir()
    (tmp_path / "used" / "chroma.sqlite3").write_bytes(b"not a database" * 1000)
    with pytest.raises(IndexCorruptError):
        ChromaStore.existing(tmp_path / "used")
    shutil.rmtree(tmp_path / "used")
    (tmp_path / "whole").rename(tmp_path / "used")
    repaired = ChromaStore.existing(tmp_path / "used")
    assert repaired.count("open") == 0
    repaired.close()


def test_where_nothing_was_written_nothing_is_opened_or_made(tmp_path: Path) -> None:
    with pytest.raises(IndexCorruptError, match=r"no chroma\.sqlite3.*build the index again"):
        ChromaStore.existing(tmp_path / "nothing")
    assert not (tmp_path / "nothing").exists()


def test_a_missing_collection_is_a_corrupt_index(tmp_path: Path) -> None:
    store = ChromaStore(tmp_path)
    with pytest.raises(IndexCorruptError, match="'guarded'"):
        store.count("guarded")
    store.close()


@pytest.fixture
def remote(monkeypatch: pytest.MonkeyPatch, chroma_server: str) -> str:
    monkeypatch.setenv("QUERYMUST_CHROMA", chroma_server)
    return chroma_server


def test_a_snapshot_on_a_server_answers_as_an_embedded_one(built: Path, tmp_path: Path, remote: str) -> None:
    manifest = build(tmp_path)
    with open_snapshot(tmp_path, manifest.id) as there:
        assert not (there.folder / "chroma").exists()
        assert verify_snapshot(there, probes=20) == ()
        result = [there.collections.nearest(name, vectors_of(3)[2], 9) for name in ("open", "guarded")]
    with pytest.MonkeyPatch.context() as patch:
        patch.delenv("QUERYMUST_CHROMA")
        with open_snapshot(built, only_id(built)) as here:
            assert here.id == manifest.id
            same = [here.collections.nearest(name, vectors_of(3)[2], 9) for name in ("open", "guarded")]
    assert [each.ids for each in result] == [each.ids for each in same]


def test_one_server_keeps_snapshots_apart_and_fills_up_what_is_missing(tmp_path: Path, remote: str) -> None:
    first, second = build(tmp_path, 60), build(tmp_path, 45)
    with closing(ChromaStore(None, ChromaServer.of(remote, first.id))) as store:
        store.create("open")
    with open_snapshot(tmp_path, first.id) as broken:
        assert {finding.check for finding in verify_snapshot(broken)} & {"counts", "vectors"}
    assert build(tmp_path, 60).id == first.id
    for each in (first, second):
        with open_snapshot(tmp_path, each.id) as snapshot:
            assert verify_snapshot(snapshot, probes=20) == ()


def test_a_server_that_holds_other_vectors_under_the_same_ids_is_filled_again(tmp_path: Path, remote: str) -> None:
    made = build(tmp_path, 33)
    with closing(ChromaStore(None, ChromaServer.of(remote, made.id))) as store:
        store.collection("open").update(ids=[chunk(1).id], embeddings=vectors_of(1))
    assert build(tmp_path, 33).id == made.id
    with open_snapshot(tmp_path, made.id) as snapshot:
        assert verify_snapshot(snapshot, probes=33) == ()


def test_a_home_comes_back_from_a_server_by_building_again(
    tmp_path: Path, remote: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = build(tmp_path, 21)
    monkeypatch.delenv("QUERYMUST_CHROMA")
    with open_snapshot(tmp_path, made.id) as snapshot, pytest.raises(IndexCorruptError, match="build the index again"):
        snapshot.collections.count("open")
    assert build(tmp_path, 21).id == made.id
    with open_snapshot(tmp_path, made.id) as snapshot:
        assert verify_snapshot(snapshot, probes=21) == ()


def test_a_home_is_moved_to_a_server_by_building_again(home: Path, remote: str) -> None:
    (home / "rag.yaml").write_text(f"chroma: {remote}\n")
    count = open_snapshot(home, only_id(home)).manifest.n_open
    assert build(home).id == only_id(home)
    with open_snapshot(home, only_id(home)) as snapshot:
        assert snapshot.collections.count("open") == count


def test_a_server_without_the_snapshot_says_to_build_again(chroma_server: str) -> None:
    store = ChromaStore(None, ChromaServer.of(chroma_server, "strange"))
    with closing(store), pytest.raises(StoreUnavailableError, match="build again with the same `chroma` setting"):
        store.count("open")


def test_a_server_that_does_not_answer_says_how_to_start_one() -> None:
    with pytest.raises(StoreUnavailableError, match="chroma run --host"):
        ChromaStore(None, ChromaServer.of(f"http://127.0.0.1:{free_port()}", "any"))


def test_somebody_elses_collection_on_a_server_is_found_by_its_name(chroma_server: str) -> None:
    with open_chroma(chroma_server) as client:
        made = client.create_collection("somebody-elses", embedding_function=None)
        made.add(ids=["a"], embeddings=[[1.0, 0.0]])
        assert collection_named(client, "somebody-elses").count() == 1
        client.delete_collection("somebody-elses")


def test_a_foreign_server_that_does_not_answer_is_one_clear_line() -> None:
    location = f"http://127.0.0.1:{free_port()}"
    with (
        pytest.raises(StoreUnavailableError, match=f"the Chroma server at {location} cannot be asked .*; start it"),
        open_chroma(location),
    ):
        pass


@pytest.mark.parametrize("address", ["localhost:8000", "ftp://host", "http://", "http://h:port"])
def test_an_address_that_is_none_is_refused(address: str) -> None:
    with pytest.raises(UnreadableSettingsError, match="not an address"):
        ChromaServer.of(address, "any")


def test_no_address_is_no_server() -> None:
    assert ChromaServer.of(None, "any") is None
    assert ChromaServer.of("", "any") is None
