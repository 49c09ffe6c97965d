from dataclasses import replace
from pathlib import Path

import pytest

from retrieval.answer.answers import Passage
from retrieval.answer.prompt import format_prompt
from retrieval.errors import UnreadableSettingsError
from retrieval.types import Hit
from tests.chunks import EMPTY

CHUNK = replace(
    EMPTY, id="c", book="axes", heading_path=("Arms", "Axes"), text="$10 {each} [sic]", metadata={"page": 7}
)
PASSAGE = Passage(1, Hit(CHUNK, 1.0, 1), "q")


def test_a_passage_is_shown_with_its_number_place_page_and_summary() -> None:
    summed = replace(CHUNK, metadata={"page": 7, "summary": "All about axes."})
    prompt = format_prompt("What does $axe cost?", [replace(PASSAGE, hit=replace(PASSAGE.hit, chunk=summed))])
    assert "[1] axes > Arms > Axes\nPage 7\nAll about axes.\nContent:\n$10 {each} [sic]" in prompt
    assert "Question: What does $axe cost?" in prompt


def test_a_page_and_a_summary_may_be_missing() -> None:
    bare = replace(PASSAGE, hit=replace(PASSAGE.hit, chunk=replace(CHUNK, metadata={})))
    assert "[1] axes > Arms > Axes\nContent:" in format_prompt("q", [bare])


def test_a_template_of_ones_own_has_context_and_question(tmp_path: Path) -> None:
    own = tmp_path / "prompt.txt"
    own.write_text("$question over $context", "utf-8")
    assert format_prompt("q", [PASSAGE], template=own).startswith("q over [1] axes")
    own.write_text("$question", "utf-8")
    with pytest.raises(UnreadableSettingsError, match="must have"):
        format_prompt("q", [PASSAGE], template=own)
    with pytest.raises(UnreadableSettingsError, match="cannot be read"):
        format_prompt("q", [PASSAGE], template=tmp_path / "nothing.txt")
