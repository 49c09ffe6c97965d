import os
import time
from pathlib import Path

from retrieval.index.snapshot.building_folder import building_folder
from tests.retrieval.index.conftest import build

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
