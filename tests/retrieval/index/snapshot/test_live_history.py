"""Which snapshots were live, and which of them a person chose."""

from pathlib import Path

from retrieval.index.snapshot.live_history import (
    HISTORY_FILE,
    Promotion,
    live_since_choice,
    promotions,
    remember,
    were_live,
)


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
