import os
import shutil
import subprocess
import sys
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import numpy as np
import pytest

from retrieval.errors import IndexCorruptError, IndexMissingError, TransferError
from retrieval.files.atomic_files import FileEntry
from retrieval.index.places import Place
from retrieval.index.snapshot import manifest
from retrieval.index.snapshot.live import live_id, promote, promotions, read_promotions
from retrieval.index.snapshot.snapshot import open_snapshot
from retrieval.index.transfer import Listing, hash_of, live_at, path_of, pull_snapshot, push_snapshot
from tests.retrieval.index.conftest import FileServer, build, history_of, killed, nobody, only_id

ROOT = Path(__file__).parents[3]


def test_a_place_holds_what_was_pushed_and_is_a_home_to_read(builder: Path, folder: Path, tmp_path: Path) -> None:
    done = push_snapshot(builder, folder, nobody)
    assert (done.snapshot, done.before, done.sent, done.removed) == (live_id(builder), None, done.files, ())
    with open_snapshot(builder) as mine, open_snapshot(tmp_path / "place") as there:
        assert there.id == mine.id == live_at(folder)
        assert list(there.chunks) == list(mine.chunks)
        assert there.faults() == ()


def test_what_is_there_is_not_sent_again(builder: Path, remote: Place) -> None:
    push_snapshot(builder, remote, nobody)
    for check in (False, True):
        again = push_snapshot(builder, remote, nobody, check=check)
        assert (again.sent, again.before) == (0, again.snapshot)
    assert len(read_promotions(history_of(remote))) == 1


def test_progress_ends_with_every_byte(builder: Path, remote: Place) -> None:
    told: list[tuple[int, int]] = []
    done = push_snapshot(builder, remote, lambda _, over, total: told.append((over, total)))
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
        assert there.faults() == ()


def test_a_killed_push_leaves_readers_what_they_had(builder: Path, folder: Place, tmp_path: Path) -> None:
    before = push_snapshot(builder, folder, nobody).snapshot
    promote(builder, build(builder, 50).id)
    killed("push", builder, folder)
    assert live_at(folder) == before
    with open_snapshot(tmp_path / "place") as there:
        assert there.id == before
    done = push_snapshot(builder, folder, nobody)
    assert (live_at(folder), done.before) == (done.snapshot, before)


def test_what_was_damaged_there_is_sent_again_when_it_is_looked_for(builder: Path, remote: Place) -> None:
    name = push_snapshot(builder, remote, nobody).snapshot
    content = remote.read(path_of(name, "vectors.npy")) or b""
    remote.write(path_of(name, "vectors.npy"), content[:-1] + bytes([content[-1] ^ 1]))
    assert push_snapshot(builder, remote, nobody).sent == 0
    assert push_snapshot(builder, remote, nobody, check=True).sent == 1
    assert remote.read(path_of(name, "vectors.npy")) == content
    remote.write(path_of(name, "chunks.jsonl"), b"short")
    remote.remove(path_of(name, "chunk_ids.npy"))
    assert push_snapshot(builder, remote, nobody).sent == 2


@pytest.mark.parametrize("content", [None, b"half", b"{}"])
def test_without_a_list_that_can_be_read_nothing_is_complete(builder, remote, content):
    name = push_snapshot(builder, remote, nobody).snapshot
    whole = remote.read(path_of(name))
    remote.remove(path_of(name))
    if content is not None:
        remote.write(path_of(name), content)
    assert push_snapshot(builder, remote, nobody).sent == 0
    assert remote.read(path_of(name)) == whole


def test_a_complete_snapshot_of_another_machine_stays_as_it_is(builder: Path, remote: Place) -> None:
    name = push_snapshot(builder, remote, nobody).snapshot
    (builder / "snapshots" / name / "relevance.json").write_text('{"another": "fit"}')
    assert push_snapshot(builder, remote, nobody).sent == 0
    assert remote.read(path_of(name, "relevance.json")) is None


def test_a_damaged_snapshot_is_not_pushed(builder: Path, remote: Place) -> None:
    folder = builder / "snapshots" / str(live_id(builder))
    words = folder / "rarity.npy"
    whole = words.read_bytes()
    words.write_bytes(whole[:-1] + bytes([whole[-1] ^ 1]))
    with pytest.raises(IndexCorruptError, match=r"rarity.npy does not have the hash.*build the index again"):
        push_snapshot(builder, remote, nobody)
    words.write_bytes(whole)
    (folder / "vectors.npy").write_bytes(b"")
    with pytest.raises(IndexCorruptError, match=r"vectors.npy has 0 bytes"):
        push_snapshot(builder, remote, nobody)
    assert live_at(remote) is None
    assert remote.folders("snapshots") == ()


def test_nothing_live_is_nothing_to_push(home: Path, remote: Place, tmp_path: Path) -> None:
    for empty in (home, tmp_path / "none"):
        with pytest.raises(IndexMissingError, match="nothing is live"):
            push_snapshot(empty, remote, nobody)


def test_a_home_is_not_pushed_to_itself(builder: Path) -> None:
    for name in (str(builder), f"file://{builder}", f"{builder}/../{builder.name}/"):
        with pytest.raises(TransferError, match="is the home itself"):
            push_snapshot(builder, Place(name), nobody)


def test_as_many_as_asked_stay(builder: Path, remote: Place) -> None:
    pushed = [push_snapshot(builder, remote, nobody, keep=1).snapshot]
    removed = []
    for count in (50, 40, 30):
        promote(builder, build(builder, count).id)
        done = push_snapshot(builder, remote, nobody, keep=1)
        removed.append(done.removed)
        pushed.append(done.snapshot)
    assert removed == [(), (pushed[0],), (pushed[1],)]
    assert set(remote.folders("snapshots")) == set(pushed[2:])
    promote(builder, pushed[2], "rollback")
    assert push_snapshot(builder, remote, nobody, keep=1).sent == 0
    assert live_at(remote) == pushed[2]
    assert [move.how for move in read_promotions(history_of(remote))] == ["push"] * 5


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
    assert done.stderr == f"error: {folder.name} has no room left (File too large); make room there, and push again\n"
    assert live_at(folder) is None


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
    paths = [path for path in source.rglob("*") if path.is_file()]
    inside = [path.relative_to(source).as_posix() for path in paths]
    return {name: (target / name).read_bytes() == (source / name).read_bytes() for name in inside}


def test_what_is_pulled_is_what_was_pushed(builder: Path, remote: Place, reader: Path) -> None:
    name = push_snapshot(builder, remote, nobody).snapshot
    done = pull_snapshot(reader, remote, nobody)
    assert (done.snapshot, done.fetched, done.before, done.n_chunks) == (name, done.files, None, 60)
    assert live_id(reader) == name
    assert all(copied(builder / "snapshots" / name, reader / "snapshots" / name).values())
    assert [move.how for move in promotions(reader)] == ["pull"]
    assert [path.name for path in (reader / "snapshots").iterdir()] == [name]
    with open_snapshot(reader) as mine, open_snapshot(builder) as theirs:
        assert mine.faults() == ()
        assert list(mine.chunks) == list(theirs.chunks)


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
        assert mine.faults() == ()


def test_a_second_pull_fetches_nothing_and_a_damaged_snapshot_is_mended(folder, pushed, reader):
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


def test_a_killed_pull_leaves_what_was_live_and_the_next_one_goes_on(builder, folder, pushed, server, reader):
    pull_snapshot(reader, folder, nobody)
    promote(builder, build(builder, 50).id)
    second = push_snapshot(builder, folder, nobody).snapshot
    killed("pull", reader, folder)
    assert live_id(reader) == pushed
    with open_snapshot(reader) as mine:
        assert mine.faults() == ()
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
        assert mine.faults() == ()


def test_what_comes_damaged_is_named_and_nothing_goes_live(builder, folder, pushed, server, reader):
    pull_snapshot(reader, folder, nobody)
    promote(builder, build(builder, 50).id)
    push_snapshot(builder, folder, nobody)
    for name in ("chunk_ends.npy", "rarity.npy", "files.json"):
        shutil.rmtree(reader / "snapshots" / ".arriving", ignore_errors=True)  # else what came whole stays there
        server.damaged = {name: 9}
        with pytest.raises(TransferError, match=rf"{server.url}/snapshots/\w+/.*{name} is damaged.*--check"):
            pull_snapshot(reader, Place(server.url), nobody)
        assert live_id(reader) == pushed
    server.damaged = {}
    assert pull_snapshot(reader, Place(server.url), nobody).before == pushed


def test_what_is_larger_than_allowed_or_than_listed_is_not_fetched(folder, pushed, reader, tmp_path):
    with pytest.raises(TransferError, match=r"has [\d,]+ bytes, but 1,000 are allowed; .*--max-gb 1"):
        pull_snapshot(reader, folder, nobody, most=1000)
    assert not (reader / "snapshots").exists()
    there = tmp_path / "place" / "snapshots" / pushed
    huge = there / "vectors.npy"
    size = huge.stat().st_size
    os.truncate(huge, 2**36)  # sparse, as a server may go on for ever
    with pytest.raises(TransferError, match=rf"vectors.npy has more than {size:,} bytes; do not pull from there"):
        pull_snapshot(reader, folder, nobody)
    assert (reader / "snapshots" / ".arriving" / pushed / "vectors.npy").stat().st_size <= size
    os.truncate(there / "files.json", 2**36)
    with pytest.raises(TransferError, match=r"files.json has more than 67,108,864 bytes"):
        pull_snapshot(reader, folder, nobody)
    assert live_id(reader) is None


def relist(there: Path) -> None:
    """List a hostile snapshot's files as they are now, with the manifest that fits."""
    written = manifest.Manifest.read(there)
    replace(written, files=tuple(FileEntry.of(there, there / file.path) for file in written.files)).write(there)
    (there / "files.json").write_bytes(Listing.of(there).dump())


class Evil:
    """Runs when it is unpickled."""

    def __reduce__(self) -> tuple[object, tuple[str]]:
        return exec, ("raise SystemExit('unpickled')",)


@pytest.mark.parametrize("hostile", ["objects", "link"])
def test_a_hostile_snapshot_runs_nothing_and_leads_nowhere(folder, pushed, reader, tmp_path, hostile):
    there, secret = tmp_path / "place" / "snapshots" / pushed, tmp_path / "secret"
    secret.write_bytes(b"secret")
    if hostile == "objects":
        np.save(there / "vectors.npy", np.array([Evil()], dtype=object), allow_pickle=True)
    else:
        (there / "vectors.npy").unlink()
        (there / "vectors.npy").symlink_to(secret)
    relist(there)
    try:
        pull_snapshot(reader, folder, nobody)
        with open_snapshot(reader) as opened:
            faults: object = opened.faults()
    except (IndexCorruptError, TransferError) as error:
        faults = error
    assert faults
    assert not [path for path in reader.rglob("*") if path.is_symlink()]


def test_a_file_that_is_gone_is_named(folder: Place, pushed: str, reader: Path) -> None:
    folder.remove(f"snapshots/{pushed}/vectors.npy")
    with pytest.raises(TransferError, match=rf"snapshots/{pushed}/vectors.npy is missing; push again"):
        pull_snapshot(reader, folder, nobody)
    for name in ("files.json", "manifest.json"):
        folder.remove(f"snapshots/{pushed}/{name}")
        with pytest.raises(TransferError, match=rf"offers snapshot {pushed}, but has no .*{name}; push again"):
            pull_snapshot(reader, folder, nobody)
    assert live_id(reader) is None


def test_a_snapshot_of_another_schema_is_refused_before_it_is_fetched(folder, pushed, server, reader, monkeypatch):
    monkeypatch.setattr(manifest, "SCHEMA_VERSION", manifest.SCHEMA_VERSION + 1)
    sentence = (
        rf"{server.url}/snapshots/{pushed}/manifest.json has schema version \d+, but this program reads \d+; build"
    )
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


def test_where_another_snapshot_is_offered_meanwhile_that_one_is_pulled(builder, folder, pushed, reader):
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
    assert done.stderr.startswith(f"error: {reader}/snapshots/.arriving/{pushed}/")
    assert " cannot be written" in done.stderr
    assert done.stderr.endswith("make room, and run the same command again\n")
    assert live_id(reader) is None
    done = pull_snapshot(reader, folder, nobody)
    assert 0 < done.fetched < done.files


@pytest.fixture
def snapshot(home: Path) -> Path:
    return home / "snapshots" / only_id(home)


def test_every_file_of_a_snapshot_goes_and_the_manifest_last(snapshot: Path) -> None:
    (snapshot / ".live.1-2.partial").write_bytes(b"half")
    (snapshot / "relevance.json").write_bytes(b"{}")
    result = Listing.of(snapshot)
    paths = [file.path for file in result.files]
    assert paths[-1] == "manifest.json"
    assert {"chunks.jsonl", "relevance.json", "lexical/weights.npy"} <= set(paths)
    assert not any(path.startswith(".") for path in paths)
    assert Listing.parse(result.dump(), snapshot.name, "there") == result
    assert result.size == sum((snapshot / path).stat().st_size for path in paths)


@pytest.mark.parametrize("damage", ["half", "other", "lost", "renamed"])
def test_a_damaged_list_says_so(snapshot: Path, damage: str) -> None:
    whole = Listing.of(snapshot)
    content = {
        "half": whole.dump()[: len(whole.dump()) // 2],
        "other": b"[]",
        "lost": replace(whole, files=whole.files[1:]).dump(),
        "renamed": replace(whole, snapshot="0123456789abcdef").dump(),
    }[damage]
    with pytest.raises(TransferError, match=r"there is damaged.*push again with --check"):
        Listing.parse(content, snapshot.name, "there")


@pytest.mark.parametrize(
    "path",
    [
        "../live",
        "/etc/passwd",
        "a/../../b",
        "a//b",
        "",
        ".",
        "files.json",
        ".hidden",
        "a\\b",
        "a\nb",
        "a" * 300,
        "a/" * 9 + "b",
    ],
)
def test_a_list_that_leads_out_of_its_folder_is_refused(snapshot: Path, path: str) -> None:
    files = (FileEntry(path, 1, "0"),)
    content = Listing(snapshot.name, files, hash_of(files), datetime.now(UTC)).dump()
    with pytest.raises(TransferError, match="which is not a file of a snapshot; do not pull from there"):
        Listing.parse(content, snapshot.name, "there")
