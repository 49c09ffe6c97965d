import shutil
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from retrieval.errors import IndexCorruptError, IndexMissingError, TransferError
from retrieval.index.chroma.neighbour_search import NeighbourSearch
from retrieval.index.snapshot import manifest
from retrieval.index.snapshot.live import live_id, promote
from retrieval.index.snapshot.live_history import promotions
from retrieval.index.snapshot.snapshot import open_snapshot
from retrieval.index.snapshot.verification import verify_snapshot
from retrieval.index.travel.place import Place
from retrieval.index.travel.pull import pull_snapshot
from retrieval.index.travel.push import push_snapshot
from tests.retrieval.index.conftest import build, held
from tests.retrieval.index.travel.conftest import FileServer, killed, nobody

ROOT = Path(__file__).parents[4]


@pytest.fixture
def reader(tmp_path: Path) -> Path:
    """A home that nothing was built in."""
    return tmp_path / "reader"


@pytest.fixture
def pushed(builder: Path, folder: Place) -> str:
    """Id of a snapshot that `folder` offers."""
    return push_snapshot(builder, folder, nobody).snapshot


def copied(source: Path, target: Path) -> dict[str, bool]:
    """Of each file of a snapshot's folder, whether the other has the same bytes."""
    paths = [path for path in source.rglob("*") if path.is_file() and path.parent.parent.name != "chroma"]
    inside = [path.relative_to(source).as_posix() for path in paths]
    return {name: (target / name).read_bytes() == (source / name).read_bytes() for name in inside}


def test_what_is_pulled_is_what_was_pushed(builder: Path, place: Place, reader: Path) -> None:
    name = push_snapshot(builder, place, nobody).snapshot
    done = pull_snapshot(reader, place, nobody)
    assert (done.snapshot, done.fetched, done.before, done.n_chunks) == (name, done.files, None, 60)
    assert live_id(reader) == name
    assert all(copied(builder / "snapshots" / name, reader / "snapshots" / name).values())
    assert [move.how for move in promotions(reader)] == ["pull"]
    assert [path.name for path in (reader / "snapshots").iterdir()] == [name]
    with open_snapshot(reader) as mine, open_snapshot(builder) as theirs:
        assert verify_snapshot(mine) == ()
        assert held(mine) == held(theirs)


def test_it_was_built_when_it_was_built(builder: Path, folder: Place, pushed: str, reader: Path) -> None:
    import os

    (source,) = builder.glob("snapshots/*/manifest.json")
    os.utime(source, (1_700_000_000, 1_700_000_000))
    folder.remove(f"snapshots/{pushed}/files.json")
    push_snapshot(builder, folder, nobody)
    pull_snapshot(reader, folder, nobody)
    assert (reader / "snapshots" / pushed / "manifest.json").stat().st_mtime == 1_700_000_000


def test_any_server_of_files_will_do(pushed: str, server: FileServer, reader: Path) -> None:
    assert pull_snapshot(reader, Place(server.url), nobody).snapshot == pushed
    assert not [path for path in server.asked if path.endswith("/")], "no folder is listed"
    with open_snapshot(reader) as mine:
        assert verify_snapshot(mine) == ()


def test_a_second_pull_fetches_nothing_and_a_damaged_snapshot_is_mended(
    folder: Place, pushed: str, reader: Path
) -> None:
    pull_snapshot(reader, folder, nobody)
    again = pull_snapshot(reader, folder, nobody)
    assert (again.fetched, again.before) == (0, pushed)
    vectors = reader / "snapshots" / pushed / "vectors.npy"
    whole = vectors.read_bytes()
    vectors.write_bytes(whole[:-1] + bytes([whole[-1] ^ 1]))
    (reader / "snapshots" / pushed / "chunks.jsonl").unlink()
    assert pull_snapshot(reader, folder, nobody).fetched == 2
    assert vectors.read_bytes() == whole
    assert len(promotions(reader)) == 1


def test_a_killed_pull_leaves_what_was_live_and_the_next_one_goes_on(
    builder: Path, folder: Place, pushed: str, server: FileServer, reader: Path
) -> None:
    pull_snapshot(reader, folder, nobody)
    promote(builder, build(builder, 50).id)
    second = push_snapshot(builder, folder, nobody).snapshot
    killed("pull", reader, folder)
    assert live_id(reader) == pushed
    with open_snapshot(reader) as mine:
        assert verify_snapshot(mine) == ()
    done = pull_snapshot(reader, Place(server.url), nobody)
    assert (live_id(reader), done.before) == (second, pushed)
    assert 0 < done.fetched < done.files
    known = ("files.json", "manifest.json")
    sent = {path for path in server.asked if f"/{second}/" in path and not path.endswith(known)}
    assert len(sent) == done.fetched - 1, "and the manifest, which comes last"


def test_what_another_pull_left_is_not_kept_for_ever(folder: Place, pushed: str, reader: Path) -> None:
    arriving = reader / "snapshots" / ".arriving"
    for name in ("0123456789abcdef", f"{pushed}/strange"):
        (arriving / name).mkdir(parents=True)
        (arriving / name / "vectors.npy").write_bytes(b"left")
    pull_snapshot(reader, folder, nobody)
    assert not arriving.exists()
    assert not list((reader / "snapshots" / pushed).glob("strange/*"))


def test_what_is_damaged_on_its_way_once_is_fetched_again(pushed: str, server: FileServer, reader: Path) -> None:
    server.damaged = {"vectors.npy": 1, "chunks.jsonl": 1}
    pull_snapshot(reader, Place(server.url), nobody)
    assert server.damaged == {"vectors.npy": 0, "chunks.jsonl": 0}
    with open_snapshot(reader) as mine:
        assert verify_snapshot(mine) == ()


@pytest.mark.parametrize("name", ["chunk_ends.npy", "chroma.sqlite3", "neighbour_search.json", "files.json"])
def test_what_comes_damaged_is_named_and_nothing_goes_live(
    builder: Path, folder: Place, pushed: str, server: FileServer, reader: Path, name: str
) -> None:
    pull_snapshot(reader, folder, nobody)
    promote(builder, build(builder, 50).id)
    push_snapshot(builder, folder, nobody)
    server.damaged = {name: 9}
    with pytest.raises(TransferError, match=rf"{server.url}/snapshots/\w+/.*{name} is damaged.*--check"):
        pull_snapshot(reader, Place(server.url), nobody)
    assert live_id(reader) == pushed
    server.damaged = {}
    assert pull_snapshot(reader, Place(server.url), nobody).before == pushed


def test_a_file_that_is_gone_is_named(folder: Place, pushed: str, reader: Path) -> None:
    folder.remove(f"snapshots/{pushed}/vectors.npy")
    with pytest.raises(TransferError, match=rf"snapshots/{pushed}/vectors.npy is not there; push again"):
        pull_snapshot(reader, folder, nobody)
    for name in ("files.json", "manifest.json"):
        folder.remove(f"snapshots/{pushed}/{name}")
        with pytest.raises(TransferError, match=rf"offers snapshot {pushed}, and has no .*{name}; push again"):
            pull_snapshot(reader, folder, nobody)
    assert live_id(reader) is None


def test_a_snapshot_of_another_schema_is_refused_before_it_is_fetched(
    folder: Place, pushed: str, server: FileServer, reader: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(manifest, "SCHEMA_VERSION", manifest.SCHEMA_VERSION + 1)
    sentence = rf"{server.url}/snapshots/{pushed}/manifest.json has schema version \d+, this program reads \d+; build"
    with pytest.raises(IndexCorruptError, match=sentence):
        pull_snapshot(reader, Place(server.url), nobody)
    assert not [path for path in server.asked if path.endswith(".npy")]
    assert not reader.exists()


@pytest.mark.parametrize("content", [None, b"", b"../../outside\n", b"0123456789ABCDEF\n"])
def test_a_place_that_offers_nothing_says_so(folder: Place, reader: Path, content: bytes | None) -> None:
    if content is not None:
        folder.write("live", content)
    with pytest.raises(
        IndexMissingError, match=r"nothing was pushed to .*run where the index is built: querymust push"
    ):
        pull_snapshot(reader, folder, nobody)
    assert not reader.exists()


def test_where_another_snapshot_is_offered_meanwhile_that_one_is_pulled(
    builder: Path, folder: Place, pushed: str, reader: Path
) -> None:
    promote(builder, build(builder, 50).id)
    moved: list[str] = []

    def push_another(_path: str, _done: int, _total: int) -> None:
        if not moved:
            moved.append("")
            moved[0] = push_snapshot(builder, folder, nobody, keep=0).snapshot

    done = pull_snapshot(reader, folder, push_another)
    assert done.snapshot == moved[0] != pushed
    assert live_id(reader) == moved[0]


def test_a_damaged_pointer_of_the_home_is_put_right(folder: Place, pushed: str, reader: Path) -> None:
    reader.mkdir()
    (reader / "live").write_bytes(b"garbage")
    assert pull_snapshot(reader, folder, nobody).before is None
    assert live_id(reader) == pushed


def test_a_home_without_room_says_so_and_the_next_pull_goes_on(folder: Place, pushed: str, reader: Path) -> None:
    confined = ["-m", "tools.faults.confined", "limited:20000", str(reader)]
    done = subprocess.run(
        [sys.executable, *confined, "pipeline.cli", "pull", folder.name, "--home", str(reader)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith(
        f"error: {reader}/snapshots/.arriving/{pushed}/chroma/chroma.sqlite3 cannot be written"
    )
    assert done.stderr.endswith("make room, and run the same command again\n")
    assert live_id(reader) is None
    done = pull_snapshot(reader, folder, nobody)
    assert 0 < done.fetched < done.files


def test_a_snapshot_whose_collections_are_on_a_server_is_read_without_them(
    builder: Path, folder: Place, reader: Path
) -> None:
    snapshot = builder / "snapshots" / str(live_id(builder))
    search = NeighbourSearch.read(snapshot)
    assert search is not None
    replace(search, place="127.0.0.1:8000", exact=False).write(snapshot)
    shutil.rmtree(snapshot / "chroma")
    push_snapshot(builder, folder, nobody)
    pull_snapshot(reader, folder, nobody)
    with open_snapshot(reader) as mine:
        assert mine.scans
