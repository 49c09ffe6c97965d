import gc
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from retrieval.errors import IndexCorruptError, IndexMissingError
from retrieval.index.snapshot.live import live_id, promote
from retrieval.index.snapshot.live_history import promotions, were_live
from retrieval.index.snapshot.readers import unread
from retrieval.index.snapshot.retention import remove_snapshots, snapshots_of
from retrieval.index.snapshot.snapshot import open_snapshot
from tests.retrieval.index.conftest import build


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


def test_what_a_reader_has_open_stays_until_it_is_let_go(many: tuple[Path, list[str]]) -> None:
    home, ids = many
    with open_snapshot(home, ids[0]) as held:
        assert [each.id for each in remove_snapshots(home, ids[6])] == [ids[1]]
        assert held.chunks[3].text.startswith("text")
        assert held.lexical.scores("text").size == len(held)
    assert [each.id for each in remove_snapshots(home, ids[6])] == [ids[0]]


def test_a_reader_that_forgets_to_close_lets_go_when_it_is_collected(many: tuple[Path, list[str]]) -> None:
    home, ids = many
    held = open_snapshot(home, ids[0])
    assert len(held)
    del held
    gc.collect()
    assert {each.id for each in remove_snapshots(home, ids[6])} == set(ids[:2])


def test_another_process_that_was_killed_holds_nothing(many: tuple[Path, list[str]]) -> None:
    home, ids = many
    program = (
        "import sys, time; from pathlib import Path; from retrieval.index.snapshot.snapshot import open_snapshot; "
        "held = open_snapshot(Path(sys.argv[1]), sys.argv[2]); print('open', flush=True); time.sleep(600)"
    )
    with subprocess.Popen([sys.executable, "-c", program, str(home), ids[0]], stdout=subprocess.PIPE) as reader:
        assert reader.stdout is not None
        assert reader.stdout.readline() == b"open\n"
        assert [each.id for each in remove_snapshots(home, ids[6])] == [ids[1]]
        reader.kill()
    assert [each.id for each in remove_snapshots(home, ids[6])] == [ids[0]]


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
