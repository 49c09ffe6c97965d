from contextlib import closing
from pathlib import Path

import pytest

from retrieval.errors import IndexCorruptError, StoreUnavailableError, UnreadableSettingsError
from retrieval.index.chroma.foreign import collection_named, open_chroma
from retrieval.index.chroma.server import ChromaServer
from retrieval.index.chroma.store import ChromaStore
from retrieval.index.snapshot.snapshot import open_snapshot
from retrieval.index.snapshot.verification import verify_snapshot
from tests.retrieval.conftest import free_port
from tests.retrieval.index.conftest import build, chunk, only_id, vectors_of


@pytest.fixture
def remote(monkeypatch: pytest.MonkeyPatch, chroma_server: str) -> str:
    monkeypatch.setenv("QUERYMUST_CHROMA", chroma_server)
    return chroma_server


def test_a_snapshot_on_a_server_answers_as_an_embedded_one(built: Path, tmp_path: Path, remote: str) -> None:
    manifest = build(tmp_path)
    with open_snapshot(tmp_path, manifest.id) as there:
        assert not (there.folder / "chroma").exists()
        assert verify_snapshot(there, probes=20) == ()
        found = [there.collections.nearest(name, vectors_of(3)[2], 9) for name in ("open", "guarded")]
    with pytest.MonkeyPatch.context() as patch:
        patch.delenv("QUERYMUST_CHROMA")
        with open_snapshot(built, only_id(built)) as here:
            assert here.id == manifest.id
            same = [here.collections.nearest(name, vectors_of(3)[2], 9) for name in ("open", "guarded")]
    assert [each.ids for each in found] == [each.ids for each in same]


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
    place = f"http://127.0.0.1:{free_port()}"
    with (
        pytest.raises(StoreUnavailableError, match=f"the Chroma server at {place} cannot be asked .*; start it"),
        open_chroma(place),
    ):
        pass


@pytest.mark.parametrize("address", ["localhost:8000", "ftp://host", "http://", "http://h:port"])
def test_an_address_that_is_none_is_refused(address: str) -> None:
    with pytest.raises(UnreadableSettingsError, match="not an address"):
        ChromaServer.of(address, "any")


def test_no_address_is_no_server() -> None:
    assert ChromaServer.of(None, "any") is None
    assert ChromaServer.of("", "any") is None
