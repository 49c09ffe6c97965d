"""Which snapshots were live, and which of them a person chose."""

import gc
import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest

from retrieval.errors import IndexCorruptError, IndexMissingError, RetrievalError
from retrieval.index.snapshot.folders import building_folder, remove_snapshots, snapshots_of
from retrieval.index.snapshot.live import (
    HISTORY_FILE,
    Promotion,
    live_id,
    live_since_choice,
    promote,
    promotions,
    remember,
    snapshot_folder,
    unread,
    were_live,
)
from retrieval.index.snapshot.snapshot import open_snapshot
from tests.retrieval.index.conftest import build, only_id

STRANGE = "0123456789abcdef"


@pytest.mark.parametrize("wrong", ["{outside}", "../../outside", "../snapshots/{id}", "{id}/", "{id}\n", "ABCDEF", ""])
def test_what_is_no_id_opens_nothing_and_never_goes_live(home: Path, tmp_path: Path, wrong: str) -> None:
    name = only_id(home)
    shutil.copytree(snapshot_folder(home, name), tmp_path / "outside")
    named = wrong.format(outside=tmp_path / "outside", id=name)
    with pytest.raises(IndexMissingError, match="16 hexadecimal digits"):
        open_snapshot(home, named)
    with pytest.raises(IndexMissingError, match="16 hexadecimal digits"):
        promote(home, named)
    assert live_id(home) is None


def test_a_renamed_snapshot_is_not_taken_for_the_one_of_that_name(home: Path) -> None:
    name = only_id(home)
    snapshot_folder(home, name).rename(snapshot_folder(home, STRANGE))
    with pytest.raises(IndexCorruptError, match=f"{STRANGE}.* holds snapshot '{name}'.*build"):
        open_snapshot(home, STRANGE)
    with pytest.raises(IndexCorruptError, match=f"holds snapshot '{name}'"):
        promote(home, STRANGE)
    assert live_id(home) is None


@pytest.mark.parametrize("content", [b"\xff\xfe\x00", b"", b"short\n", b"../outside\n", b"0123456789ABCDEF\n"])
def test_a_damaged_pointer_says_what_to_do_and_is_fixed_by_it(home: Path, content: bytes) -> None:
    (home / "live").write_bytes(content)
    for read in (live_id, open_snapshot):
        with pytest.raises(IndexCorruptError, match=r"live names no snapshot.*delete it"):
            read(home)
    (home / "live").unlink()
    promote(home, only_id(home))
    assert live_id(home) == only_id(home)


def test_promoting_a_folder_without_a_manifest_is_refused(home: Path) -> None:
    (snapshot_folder(home, only_id(home)) / "manifest.json").unlink()
    with pytest.raises(IndexMissingError, match="no complete snapshot"):
        promote(home, only_id(home))
    with pytest.raises(RetrievalError):
        open_snapshot(home)


def moves(home: Path, *made: tuple[str, str, str | None]) -> None:
    remember(home, *(Promotion.now(snapshot, how, forced) for snapshot, how, forced in made))


def test_a_choice_by_hand_draws_a_line(tmp_path: Path) -> None:
    moves(tmp_path, ("a", "build", None), ("b", "build", None), ("c", "build", None))
    assert live_since_choice(tmp_path) == were_live(tmp_path) == ("c", "b", "a")
    moves(tmp_path, ("b", "rollback", None), ("d", "build", None))
    assert live_since_choice(tmp_path) == ("d", "b")
    moves(tmp_path, ("e", "build", "the rows were wrong"), ("f", "build", None))
    assert live_since_choice(tmp_path) == ("f", "e")
    assert were_live(tmp_path) == ("f", "e", "d", "b", "c", "a")


def test_a_line_of_an_older_version_is_read(tmp_path: Path) -> None:
    (tmp_path / HISTORY_FILE).write_text('{"snapshot": "a", "at": "2026-01-01T00:00:00Z", "how": "build"}\n')
    (move,) = promotions(tmp_path)
    assert (move.forced, move.by_hand) == (None, False)


def test_without_a_history_nothing_was_chosen(tmp_path: Path) -> None:
    assert live_since_choice(tmp_path) == ()


@pytest.fixture(scope="module")
def seven(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, list[str]]:
    """Seven snapshots, in the order in which they were built."""
    home = tmp_path_factory.mktemp("seven")
    return home, [build(home, 5 + number).id for number in range(7)]


@pytest.fixture
def many(seven: tuple[Path, list[str]], tmp_path: Path) -> tuple[Path, list[str]]:
    """A home in which six snapshots were live one after the other, and the seventh is the candidate."""
    home, ids = seven
    shutil.copytree(home, tmp_path / "home")
    for each in ids[:6]:
        promote(tmp_path / "home", each)
    return tmp_path / "home", ids


def present(home: Path) -> set[str]:
    return {path.name for path in (home / "snapshots").iterdir()}


def test_the_live_one_three_that_were_and_the_candidate_stay(many: tuple[Path, list[str]]) -> None:
    home, ids = many
    reasons = {snapshot.id: snapshot.why for snapshot in snapshots_of(home, ids[6])}
    assert reasons == dict(zip(ids, ["", "", *["was live"] * 3, "live", "candidate"], strict=True))
    assert {snapshot.id for snapshot in remove_snapshots(home, ids[6])} == set(ids[:2])
    assert present(home) == set(ids[2:])
    assert remove_snapshots(home, ids[6]) == ()


def test_as_many_as_asked_stay_and_pretending_removes_nothing(many: tuple[Path, list[str]]) -> None:
    home, ids = many
    pretended = remove_snapshots(home, ids[6], 0, pretend=True)
    assert present(home) == set(ids)
    assert all(each.size > 10_000 for each in pretended)
    assert remove_snapshots(home, ids[6], 0) == pretended
    assert present(home) == {ids[5], ids[6]}


def test_what_a_reader_has_open_stays_until_it_is_let_go(many: tuple[Path, list[str]]) -> None:
    home, ids = many
    with open_snapshot(home, ids[0]) as held:
        assert [snapshot.id for snapshot in remove_snapshots(home, ids[6])] == [ids[1]]
        assert held.chunks[3].text.startswith("text")
        assert held.lexical.scores("text").size == len(held)
    assert [snapshot.id for snapshot in remove_snapshots(home, ids[6])] == [ids[0]]


def test_a_reader_that_forgets_to_close_lets_go_when_it_is_collected(many: tuple[Path, list[str]]) -> None:
    home, ids = many
    held = open_snapshot(home, ids[0])
    assert len(held)
    del held
    gc.collect()
    assert {snapshot.id for snapshot in remove_snapshots(home, ids[6])} == set(ids[:2])


def test_another_process_that_was_killed_holds_nothing(many: tuple[Path, list[str]]) -> None:
    home, ids = many
    program = (
        "import sys, time; from pathlib import Path; from retrieval.index.snapshot.snapshot import open_snapshot; "
        "held = open_snapshot(Path(sys.argv[1]), sys.argv[2]); print('open', flush=True); time.sleep(600)"
    )
    with subprocess.Popen([sys.executable, "-c", program, str(home), ids[0]], stdout=subprocess.PIPE) as reader:
        assert reader.stdout is not None
        assert reader.stdout.readline() == b"open\n"
        assert [snapshot.id for snapshot in remove_snapshots(home, ids[6])] == [ids[1]]
        reader.kill()
    assert [snapshot.id for snapshot in remove_snapshots(home, ids[6])] == [ids[0]]


def test_a_snapshot_that_is_being_removed_is_not_opened(many: tuple[Path, list[str]]) -> None:
    home, ids = many
    with unread(home / "snapshots" / ids[0]) as may_go:
        assert may_go
        with pytest.raises(IndexMissingError, match="being removed"):
            open_snapshot(home, ids[0])


def test_where_the_pointer_is_damaged_nothing_goes(many: tuple[Path, list[str]]) -> None:
    home, ids = many
    (home / "live").write_text("garbage\n")
    with pytest.raises(IndexCorruptError, match="names no snapshot"):
        remove_snapshots(home, ids[6])
    assert present(home) == set(ids)


def test_folders_that_are_no_snapshots_are_left_alone(many: tuple[Path, list[str]]) -> None:
    home, ids = many
    for name in (".building-x", "notes"):
        (home / "snapshots" / name).mkdir()
    remove_snapshots(home, ids[6])
    assert present(home) >= {".building-x", "notes"}


def test_the_history_has_a_line_for_each_move_of_the_pointer(many: tuple[Path, list[str]]) -> None:
    home, ids = many
    promote(home, ids[5])  # it is live already
    promote(home, ids[4], "rollback")
    assert [move.snapshot for move in promotions(home)] == [*ids[:6], ids[4]]
    assert [move.how for move in promotions(home)] == ["build"] * 6 + ["rollback"]
    assert were_live(home) == (ids[4], ids[5], *reversed(ids[:4]))
    assert live_id(home) == ids[4]


def test_a_home_from_before_the_history_remembers_what_was_live(many: tuple[Path, list[str]]) -> None:
    home, ids = many
    (home / "live.jsonl").unlink()
    promote(home, ids[6])
    assert [(move.snapshot, move.how) for move in promotions(home)] == [(ids[5], "before"), (ids[6], "build")]


def test_a_garbled_line_of_the_history_costs_that_line(many: tuple[Path, list[str]]) -> None:
    home, ids = many
    lines = (home / "live.jsonl").read_bytes().splitlines(keepends=True)
    (home / "live.jsonl").write_bytes(b"".join([lines[0], b"\xff{half\n", *lines[2:]]))
    assert were_live(home) == (*reversed(ids[2:6]), ids[0])


HOUR = 3600


def left_by_a_killed_build(home: Path, name: str, *ages: float) -> Path:
    """A folder with one file of each age, in hours; itself as old as the oldest."""
    folder = home / "snapshots" / name / "lexical"
    folder.mkdir(parents=True)
    for number, age in enumerate(ages):
        (folder / f"{number}.npy").write_bytes(b"half")
        os.utime(folder / f"{number}.npy", (time.time() - age * HOUR,) * 2)
    for made in (folder, folder.parent):
        os.utime(made, (time.time() - max(ages) * HOUR,) * 2)
    return folder.parent


def test_the_next_build_removes_what_a_killed_one_left_a_day_ago(tmp_path: Path) -> None:
    old = left_by_a_killed_build(tmp_path, ".building-old", 25, 30)
    running = left_by_a_killed_build(tmp_path, ".building-running", 30, 23)
    snapshot = left_by_a_killed_build(tmp_path, "0123456789abcdef", 1000)
    made = build(tmp_path, 3)
    assert not old.exists()
    assert {path.name for path in (tmp_path / "snapshots").iterdir()} == {made.id, running.name, snapshot.name}


def test_a_folder_without_files_is_as_old_as_itself(tmp_path: Path) -> None:
    with building_folder(tmp_path) as first, building_folder(tmp_path) as second:
        assert first.is_dir()
        assert second.is_dir()
        os.utime(first, (time.time() - 25 * HOUR,) * 2)
        with building_folder(tmp_path):
            assert not first.exists()
            assert second.is_dir()
