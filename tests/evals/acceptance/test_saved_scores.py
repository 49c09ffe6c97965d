from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from evals.acceptance.saved_scores import SavedScores
from evals.errors import AcceptanceError

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from evals.scored_questions import ScoredQuestion


def test_what_is_read_is_what_was_written_without_long_rankings_and_times(
    make_row: Callable[..., ScoredQuestion], tmp_path: Path
) -> None:
    rows = [make_row("q1", 3), make_row("q2", strategy="bm25"), make_row("größer")]
    SavedScores.of("snap", rows).write(tmp_path / "one.json")
    SavedScores.of("snap", [replace(row, milliseconds=9.0) for row in rows]).write(tmp_path / "two.json")
    assert (tmp_path / "one.json").read_bytes() == (tmp_path / "two.json").read_bytes()
    found = SavedScores.read(tmp_path / "one.json")
    assert found.snapshot == "snap"
    assert [row.gold_rank for row in found.rows] == [3, 1, 1]
    assert found.rows[0].chunk_ids == ("a",)
    assert found.rows[0].deep_chunk_ids == ()
    assert [row.question_id for row in found.of_strategy("default")] == ["q1", "größer"]


@pytest.mark.parametrize("content", ["", "{}", "[1, 2]", '{"format": "querymust scores 1", "snapshot": 3}', "\x00"])
def test_another_file_is_one_sentence(tmp_path: Path, content: str) -> None:
    path = tmp_path / "other.json"
    path.write_text(content)
    with pytest.raises(AcceptanceError, match="does not hold saved scores") as caught:
        SavedScores.read(path)
    assert "\n" not in str(caught.value)


def test_a_folder_and_another_format_are_one_sentence(tmp_path: Path) -> None:
    with pytest.raises(AcceptanceError, match="cannot be read"):
        SavedScores.read(tmp_path)
    replace(SavedScores.of("snap", []), format="querymust scores 99").write(tmp_path / "new.json")
    with pytest.raises(AcceptanceError, match="holds 'querymust scores 99'"):
        SavedScores.read(tmp_path / "new.json")
