"""Which folders of snapshots stay, and which are removed."""

import gc
import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from retrieval.errors import IndexCorruptError
from retrieval.index.snapshot.folders import building_folder, remove_snapshots, snapshots_of
from retrieval.index.snapshot.snapshot import open_snapshot
from tests.retrieval.index.conftest import build


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
