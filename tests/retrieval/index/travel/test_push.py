import shutil
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from retrieval.errors import IndexCorruptError, IndexMissingError, TransferError
from retrieval.index.chroma.neighbour_search import NeighbourSearch
from retrieval.index.snapshot.live import live_id, promote
from retrieval.index.snapshot.live_history import read_promotions
from retrieval.index.snapshot.snapshot import open_snapshot
from retrieval.index.snapshot.verification import verify_snapshot
from retrieval.index.travel.listing import Listing, path_of
from retrieval.index.travel.place import Place
from retrieval.index.travel.push import live_at, push_snapshot
from tests.retrieval.index.conftest import build
from tests.retrieval.index.travel.conftest import history_of, killed, nobody

ROOT = Path(__file__).parents[4]


def test_a_place_holds_what_was_pushed_and_is_a_home_to_read(builder: Path, folder: Path, tmp_path: Path) -> None:
    done = push_snapshot(builder, folder, nobody)
    assert (done.snapshot, done.before, done.sent, done.removed) == (live_id(builder), None, done.files, ())
    with open_snapshot(builder) as mine, open_snapshot(tmp_path / "place") as there:
        assert there.id == mine.id == live_at(folder)
        assert list(there.chunks) == list(mine.chunks)
        assert verify_snapshot(there) == ()


def test_what_is_there_is_not_sent_again(builder: Path, place: Place) -> None:
    push_snapshot(builder, place, nobody)
    for check in (False, True):
        again = push_snapshot(builder, place, nobody, check=check)
        assert (again.sent, again.before) == (0, again.snapshot)
    assert len(read_promotions(history_of(place))) == 1


def test_progress_ends_with_every_byte(builder: Path, place: Place) -> None:
    told: list[tuple[int, int]] = []
    done = push_snapshot(builder, place, lambda _, over, total: told.append((over, total)))
    assert told[-1] == (done.size, done.size)
    assert told == sorted(told)


def test_a_killed_push_offers_nothing_and_the_next_one_goes_on(builder: Path, folder: Place, tmp_path: Path) -> None:
    killed("push", builder, folder)
    assert live_at(folder) is None
    arrived = {path: path.stat().st_mtime_ns for path in (tmp_path / "place").rglob("*") if path.is_file()}
    assert arrived
    done = push_snapshot(builder, folder, nobody)
    assert 0 < done.sent < done.files
    stayed = [path for path, changed in arrived.items() if path.stat().st_mtime_ns == changed]
    assert len(stayed) == done.files - done.sent
    with open_snapshot(tmp_path / "place") as there:
        assert verify_snapshot(there) == ()


def test_a_killed_push_leaves_readers_what_they_had(builder: Path, folder: Place, tmp_path: Path) -> None:
    before = push_snapshot(builder, folder, nobody).snapshot
    promote(builder, build(builder, 50).id)
    killed("push", builder, folder)
    assert live_at(folder) == before
    with open_snapshot(tmp_path / "place") as there:
        assert there.id == before
    done = push_snapshot(builder, folder, nobody)
    assert (live_at(folder), done.before) == (done.snapshot, before)


def test_what_was_damaged_there_is_sent_again_when_it_is_looked_for(builder: Path, place: Place) -> None:
    name = push_snapshot(builder, place, nobody).snapshot
    content = place.read(path_of(name, "vectors.npy")) or b""
    place.write(path_of(name, "vectors.npy"), content[:-1] + bytes([content[-1] ^ 1]))
    assert push_snapshot(builder, place, nobody).sent == 0
    assert push_snapshot(builder, place, nobody, check=True).sent == 1
    assert place.read(path_of(name, "vectors.npy")) == content
    place.write(path_of(name, "chunks.jsonl"), b"short")
    place.remove(path_of(name, "chunk_ids.npy"))
    assert push_snapshot(builder, place, nobody).sent == 2


@pytest.mark.parametrize("content", [None, b"half", b"{}"])
def test_without_a_list_that_can_be_read_nothing_is_complete(
    builder: Path, place: Place, content: bytes | None
) -> None:
    name = push_snapshot(builder, place, nobody).snapshot
    whole = place.read(path_of(name))
    place.remove(path_of(name))
    if content is not None:
        place.write(path_of(name), content)
    assert push_snapshot(builder, place, nobody).sent == 0
    assert place.read(path_of(name)) == whole


def test_a_complete_snapshot_of_another_machine_stays_as_it_is(builder: Path, place: Place) -> None:
    name = push_snapshot(builder, place, nobody).snapshot
    (builder / "snapshots" / name / "neighbour_search.json").write_text('{"another": "build"}')
    assert push_snapshot(builder, place, nobody).sent == 0
    assert place.read(path_of(name, "neighbour_search.json")) != b'{"another": "build"}'


def test_a_damaged_snapshot_is_not_pushed(builder: Path, place: Place) -> None:
    folder = builder / "snapshots" / str(live_id(builder))
    database = folder / "chroma" / "chroma.sqlite3"
    whole = database.read_bytes()
    database.write_bytes(whole[:-1] + bytes([whole[-1] ^ 1]))
    with pytest.raises(IndexCorruptError, match=r"chroma.sqlite3 does not have the hash.*build the index again"):
        push_snapshot(builder, place, nobody)
    database.write_bytes(whole)
    (folder / "vectors.npy").write_bytes(b"")
    with pytest.raises(IndexCorruptError, match=r"vectors.npy has 0 bytes"):
        push_snapshot(builder, place, nobody)
    assert live_at(place) is None
    assert place.folders("snapshots") == ()


def test_nothing_live_is_nothing_to_push(home: Path, place: Place, tmp_path: Path) -> None:
    for empty in (home, tmp_path / "none"):
        with pytest.raises(IndexMissingError, match="nothing is live"):
            push_snapshot(empty, place, nobody)


def test_a_home_is_not_pushed_to_itself(builder: Path) -> None:
    for name in (str(builder), f"file://{builder}", f"{builder}/../{builder.name}/"):
        with pytest.raises(TransferError, match="is the home itself"):
            push_snapshot(builder, Place(name), nobody)


def test_as_many_as_asked_stay(builder: Path, place: Place) -> None:
    pushed = [push_snapshot(builder, place, nobody, keep=1).snapshot]
    removed = []
    for count in (50, 40, 30):
        promote(builder, build(builder, count).id)
        done = push_snapshot(builder, place, nobody, keep=1)
        removed.append(done.removed)
        pushed.append(done.snapshot)
    assert removed == [(), (pushed[0],), (pushed[1],)]
    assert set(place.folders("snapshots")) == set(pushed[2:])
    promote(builder, pushed[2], "rollback")
    assert push_snapshot(builder, place, nobody, keep=1).sent == 0
    assert live_at(place) == pushed[2]
    assert [move.how for move in read_promotions(history_of(place))] == ["push"] * 5


def test_what_a_reader_of_a_shared_folder_has_open_stays(builder: Path, folder: Place, tmp_path: Path) -> None:
    first = push_snapshot(builder, folder, nobody).snapshot
    promote(builder, build(builder, 50).id)
    with open_snapshot(tmp_path / "place", first) as held:
        assert push_snapshot(builder, folder, nobody, keep=0).removed == ()
        assert held.chunks[3].text.startswith("text")
    assert push_snapshot(builder, folder, nobody, keep=0).removed == (first,)


def test_a_place_without_room_says_so(builder: Path, folder: Place) -> None:
    confined = ["-m", "tools.faults.confined", "limited:20000", builder]
    done = subprocess.run(
        [sys.executable, *map(str, confined), "pipeline.cli", "push", folder.name, "--home", str(builder)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == f"error: {folder.name} takes nothing more (File too large); make room there, and push again\n"
    assert live_at(folder) is None


def test_a_snapshot_whose_collections_are_on_a_server_goes_without_them(builder: Path, folder: Place) -> None:
    snapshot = builder / "snapshots" / str(live_id(builder))
    search = NeighbourSearch.read(snapshot)
    assert search is not None
    replace(search, place="127.0.0.1:8000").write(snapshot)
    shutil.rmtree(snapshot / "chroma")
    assert not [each.path for each in Listing.of(snapshot).files if "chroma" in each.path]
    assert push_snapshot(builder, folder, nobody).sent
