import shutil
from pathlib import Path

import numpy as np
import pytest

from retrieval.errors import IndexCorruptError
from retrieval.index.snapshot.live import live_id, promote
from retrieval.index.snapshot.live_history import promotions, were_live
from retrieval.index.snapshot.retention import remove_snapshots, snapshots_of
from retrieval.index.snapshot.snapshot import open_snapshot

from ..conftest import build


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
    reasons = {each.id: each.why for each in snapshots_of(home, ids[6])}
    assert reasons == dict(zip(ids, ["", "", *["was live"] * 3, "live", "candidate"], strict=True))
    assert {each.id for each in remove_snapshots(home, ids[6])} == set(ids[:2])
    assert present(home) == set(ids[2:])
    assert remove_snapshots(home, ids[6]) == ()


def test_as_many_as_asked_stay_and_pretending_removes_nothing(many: tuple[Path, list[str]]) -> None:
    home, ids = many
    pretended = remove_snapshots(home, ids[6], 0, pretend=True)
    assert present(home) == set(ids)
    assert all(each.size > 10_000 for each in pretended)
    assert remove_snapshots(home, ids[6], 0) == pretended
    assert present(home) == {ids[5], ids[6]}


def test_a_reader_of_a_removed_snapshot_goes_on(many: tuple[Path, list[str]]) -> None:
    home, ids = many
    with open_snapshot(home, ids[0]) as held:
        expected = np.array(held.vectors)
        remove_snapshots(home, ids[6])
        assert ids[0] not in present(home)
        assert np.array_equal(held.vectors, expected)
        assert held.chunks[3].text.startswith("text")


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
