"""The first lines of boxes, as four kinds of markdown write them."""

import pytest

from retrieval.ingest.markdown.boxes import Box, box_of


@pytest.mark.parametrize(
    ("line", "box"),
    [
        (":::note", Box("note")),
        (":::note[Read this]", Box("note", "Read this")),
        ("::: warning Hot pipes", Box("warning", "Hot pipes")),
        (":::{tip}", Box("tip")),
        (":::", Box()),
        ("!!! note", Box("note", is_indented=True)),
        ('!!! note inline "Hot pipes"', Box("note inline", "Hot pipes", is_indented=True)),
        ("???+ tip", Box("tip", is_indented=True)),
        ('=== "Linux"', Box("", "Linux", is_tab=True, is_indented=True)),
        ("[!NOTE]", Box("note")),
    ],
)
def test_first_lines_of_boxes_are_read(line, box):
    assert box_of(line) == box


@pytest.mark.parametrize("line", ["Note: hot pipes", "===", "!!!", ":: note", "[!note] hot", "!important"])
def test_other_lines_open_no_box(line):
    assert box_of(line) is None


def test_words_behind_a_quoted_title_are_kept():
    assert box_of('!!! note "Hot" pipes').kind == 'note "Hot" pipes'
