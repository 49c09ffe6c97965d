"""."""

import sys
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from retrieval.errors import IndexMissingError, StoreUnavailableError, UnreadableSettingsError, VectorDBWriteError
from retrieval.index.milvus import TOKEN, MilvusServer, MilvusStore, fill
from retrieval.index.snapshot.live import live_id, promote
from retrieval.index.snapshot.manifest import Manifest
from retrieval.index.snapshot.snapshot import is_as_built
from tests.milvus import records_of
from tests.retrieval.conftest import free_port
from tests.retrieval.index.conftest import build, chunk, vectors_of


@pytest.fixture
def store(milvus_server: str, request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """The setting, for a library of this test alone."""
    library = "".join(letter if letter.isalnum() else "_" for letter in request.node.name)
    monkeypatch.setenv("QUERYMUST_STORE", f"{milvus_server}/{library}")
    return f"{milvus_server}/{library}"


def server_of(setting: str, snapshot: str) -> MilvusServer:
    server = MilvusServer.of(setting, snapshot)
    assert server is not None
    return server


def opened(setting: str, snapshot: str) -> "closing[MilvusStore]":
    return closing(MilvusStore(server_of(setting, snapshot)))


def test_a_build_fills_a_collection_of_its_own(store: str, tmp_path: Path) -> None:
    first, second = build(tmp_path, 60), build(tmp_path, 45)
    for made in (first, second):
        with opened(store, made.id) as there:
            assert there.count() == made.n_chunks
            assert there.live() is None
        records = records_of(server_of(store, made.id), range(made.n_chunks))
        chunks = sorted(map(chunk, range(made.n_chunks)), key=lambda each: each.id)
        for position, each in enumerate(chunks):
            kept = [records[position][name] for name in ("id", "title", "text", "query_must")]
            assert kept == [each.id, each.title, each.text, each.query_must or ""]


def test_a_snapshot_of_the_same_id_is_not_filled_again(store: str, tmp_path: Path) -> None:
    made = build(tmp_path, 45)
    told: list[str] = []
    server = server_of(store, made.id)
    chunks = sorted(map(chunk, range(45)), key=lambda each: each.id)

    def again(known: list[str]) -> None:
        guarded = vectors_of(45)[:, 0] > 9
        fill(server, chunks, vectors_of(45), guarded, lambda _: "t1", known, lambda stage, *_: told.append(stage))

    again([made.id])
    assert told == []
    with opened(store, made.id) as there:
        there.create(16)
        list(there.add([{**record(7), "vector": vectors_of(1)[0]}]))
    again([made.id])
    assert set(told) == {"milvus"}, "what a killed build left half done is filled again"
    with opened(store, made.id) as there:
        assert there.count() == 45


def record(position: int) -> dict[str, object]:
    texts = dict.fromkeys(("id", "title", "text", "query_must", "words"), "t1")
    return {"position": position, "guarded": False, **texts}


def test_the_alias_moves_with_what_is_live_and_old_and_new_never_mix(store: str, tmp_path: Path) -> None:
    first, second = build(tmp_path, 60), build(tmp_path, 45)
    for made in (first, second, first):
        promote(tmp_path, made.id)
        with opened(store, made.id) as there:
            assert there.live() == f"{store.rpartition('/')[2]}_{made.id}"
            assert there.count() == made.n_chunks


def test_what_is_not_whole_there_does_not_go_live(store: str, tmp_path: Path) -> None:
    first, second = build(tmp_path, 60), build(tmp_path, 45)
    promote(tmp_path, first.id)
    with opened(store, second.id) as there:
        there.create(16)
    with pytest.raises(IndexMissingError, match=f"holds 0 of the 45 chunks of snapshot {second.id}; build again"):
        promote(tmp_path, second.id)
    assert live_id(tmp_path) == first.id
    assert build(tmp_path, 45).id == second.id
    promote(tmp_path, second.id)
    assert live_id(tmp_path) == second.id


def test_who_pulls_moves_no_alias(store: str, tmp_path: Path) -> None:
    first, second = build(tmp_path, 60), build(tmp_path, 45)
    promote(tmp_path, first.id)
    promote(tmp_path, second.id, "pull")
    with opened(store, second.id) as there:
        assert there.live() == f"{store.rpartition('/')[2]}_{first.id}"


def test_collections_of_snapshots_that_are_gone_go_with_a_later_build(store: str, tmp_path: Path) -> None:
    import shutil

    ids = [build(tmp_path, count).id for count in (60, 45, 40)]
    promote(tmp_path, ids[1])
    for gone in ids[:2]:
        shutil.rmtree(tmp_path / "snapshots" / gone)
    build(tmp_path, 35)
    counts = []
    for each in ids:
        with opened(store, each) as there:
            counts.append(there.count())
    assert counts == [None, 45, 40], "what the alias points at stays as well"


def test_what_a_server_lost_is_not_as_it_was_built(store: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made = build(tmp_path, 45)
    assert is_as_built(tmp_path, made.id)
    with opened(store, made.id) as there:
        there.create(16)
    assert not is_as_built(tmp_path, made.id)
    build(tmp_path, 45)
    assert is_as_built(tmp_path, made.id)
    monkeypatch.setenv("QUERYMUST_STORE", f"milvus+http://127.0.0.1:{free_port()}")
    assert not is_as_built(tmp_path, made.id)


def test_long_texts_are_cut_at_a_letter(store: str, tmp_path: Path) -> None:
    server = server_of(store, ID)
    long = replace(chunk(0), text="é" * 40_000)
    fill(server, [long], vectors_of(1), vectors_of(1)[:, 0] > 9, lambda _: "t1", [], lambda *_: None)
    assert records_of(server, [0])[0]["text"] == "é" * 32_500


def test_a_server_that_is_away_is_one_sentence(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("pymilvus")
    address = f"milvus+http://127.0.0.1:{free_port()}"
    made = build(tmp_path, 45)
    monkeypatch.setenv("QUERYMUST_STORE", address)
    for act in (lambda: build(tmp_path, 40), lambda: promote(tmp_path, made.id)):
        with pytest.raises(StoreUnavailableError, match=r"the Milvus server at http://127.0.0.1:\d+ .*start it"):
            act()
    assert live_id(tmp_path) is None


def test_a_client_that_is_missing_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made: Manifest = build(tmp_path, 45)
    monkeypatch.setitem(sys.modules, "pymilvus", None)
    monkeypatch.setenv("QUERYMUST_STORE", "milvus+http://127.0.0.1:1")
    with pytest.raises(StoreUnavailableError, match="client of Milvus is not installed; run: pip install 'pymilvus"):
        promote(tmp_path, made.id)


def test_what_the_server_refuses_is_one_sentence(store: str, tmp_path: Path) -> None:
    made = build(tmp_path, 45)
    with (
        opened(store, made.id) as there,
        pytest.raises(VectorDBWriteError, match=f"{made.id}' could not be written at"),
    ):
        list(there.add([{**record(1), "vector": vectors_of(1)[0][:3]}]))
    with (
        opened(store, "0123456789abcdef") as there,
        pytest.raises(StoreUnavailableError, match="build again with the same"),
    ):
        there.worded("t1", 3, "")


ID = "0123456789abcdef"


def test_no_setting_is_no_server() -> None:
    assert MilvusServer.of(None, ID) is None
    assert MilvusServer.of("", ID) is None


@pytest.mark.parametrize(
    ("store", "uri", "library"),
    [
        ("milvus+http://127.0.0.1", "http://127.0.0.1:19530", "querymust"),
        ("milvus+http://host:99/", "http://host:99", "querymust"),
        ("milvus+https://host/rules", "https://host:19530", "rules"),
        ("milvus+http://[::1]:7/rules", "http://[::1]:7", "rules"),
    ],
)
def test_an_address_says_where_and_of_which_library(store: str, uri: str, library: str) -> None:
    server = MilvusServer.of(store, ID, {})
    assert server is not None
    assert (server.uri, server.library, server.collection, server.token) == (uri, library, f"{library}_{ID}", "")


@pytest.mark.parametrize(
    "store", ["http://host:1", "milvus://host", "milvus+http://", "milvus+http://host:port", "milvus+http://host/a b"]
)
def test_what_is_none_is_refused_in_a_sentence(store: str) -> None:
    with pytest.raises(UnreadableSettingsError, match=r"not an address like milvus\+http://127.0.0.1:19530"):
        MilvusServer.of(store, ID)


def test_a_password_is_a_variable_and_never_shown() -> None:
    with pytest.raises(UnreadableSettingsError, match=TOKEN) as refused:
        MilvusServer.of("milvus+http://me:secret@host:1", ID)
    assert "secret" not in str(refused.value)
    server = MilvusServer.of("milvus+http://host:1", ID, {TOKEN: "me:secret"})
    assert server is not None
    assert server.token == "me:secret"
    assert "secret" not in repr(server)
