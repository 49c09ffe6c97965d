import pytest

from tools.pages.marked_blocks import with_blocks

PAGE = "a\n<!-- x:begin -->\nold\n<!-- x:end -->\nb\n"


def test_only_what_stands_between_the_markers_is_made_again() -> None:
    made = with_blocks(PAGE, {"x": "new\nlines"})
    assert made == "a\n<!-- x:begin -->\nnew\nlines\n<!-- x:end -->\nb\n"
    assert with_blocks(made, {"x": "old"}) == PAGE


def test_a_page_without_markers_is_refused() -> None:
    with pytest.raises(ValueError, match="y:begin"):
        with_blocks(PAGE, {"y": "new"})
