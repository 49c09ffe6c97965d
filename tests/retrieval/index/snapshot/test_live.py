"""Which snapshots were live, and which of them a person chose."""

import shutil
from pathlib import Path

import pytest

from retrieval.errors import IndexCorruptError, IndexMissingError, RetrievalError
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
from tests.retrieval.index.conftest import only_id

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


def test_a_snapshot_that_is_being_removed_is_not_opened(many: tuple[Path, list[str]]) -> None:
    home, ids = many
    with unread(home / "snapshots" / ids[0]) as may_go:
        assert may_go
        with pytest.raises(IndexMissingError, match="being removed"):
            open_snapshot(home, ids[0])


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
