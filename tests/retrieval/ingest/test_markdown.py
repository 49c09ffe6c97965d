import pytest
from hypothesis import given
from hypothesis import strategies as st

from retrieval.ingest.markdown import heading_text, parse_blocks, plain_text, split_row


def test_blocks_stand_under_their_headings():
    blocks = parse_blocks("intro\n\n# A\n\n## B\n\ntext\n\n# C\n\nmore\n")

    assert [(b.kind, b.heading_path) for b in blocks] == [
        ("text", ()),
        ("heading", ("A",)),
        ("heading", ("A", "B")),
        ("text", ("A", "B")),
        ("heading", ("C",)),
        ("text", ("C",)),
    ]


def test_a_skipped_level_and_a_return_to_a_higher_one_keep_the_path_right():
    blocks = parse_blocks("# A\n\n### C\n\n## B\n\n### D\n")

    assert [b.heading_path for b in blocks] == [("A",), ("A", "C"), ("A", "B"), ("A", "B", "D")]


def test_a_pipe_table_is_one_block_and_a_pipe_in_prose_is_not():
    blocks = parse_blocks("a | b is prose\n\n| x | y |\n| --- | --- |\n| 1 | 2 |\n\nend\n")

    assert [b.kind for b in blocks] == ["text", "table", "text"]
    assert blocks[1].lines == (2, 5)


def test_an_html_table_with_blank_lines_is_one_block():
    blocks = parse_blocks("<table>\n<tr><td>1</td></tr>\n\n<tr><td>2</td></tr>\n</table>\n\nend\n")

    assert [b.kind for b in blocks] == ["html", "text"]


def test_markup_is_taken_off_the_words():
    assert plain_text("**Bite.** _Hit:_ [5](x) &amp; `6`<br>7 \\* ~~8~~") == "Bite. Hit: 5 & 6 7 * 8"
    assert heading_text("## The **End** ##") == "The End"


@pytest.mark.parametrize(
    ("markup", "words"),
    [
        ("get <id> <a-side>", "get <id> <a-side>"),
        ("x < 5 and y > 3", "x < 5 and y > 3"),
        ("`Vec<T>` or `<br>`", "Vec<T> or <br>"),
        ("see <https://example.org/a>", "see https://example.org/a"),
        ("*a*<BR/>b <span class='x'>c</span><!-- d -->", "a b c"),
    ],
)
def test_only_tags_of_html_are_markup(markup, words):
    assert plain_text(markup) == words


def test_a_row_keeps_escaped_pipes_empty_cells_and_what_is_too_much():
    assert [cell.strip() for cell in split_row(r"| a | b\|c |  | d |")] == ["a", "b|c", "", "d"]
    assert [cell.strip() for cell in split_row("a|b")] == ["a", "b"]


@given(st.text(alphabet="#|-ab *<>\n\t`", max_size=200))
def test_every_line_that_is_not_blank_is_in_exactly_one_block(text):
    lines = text.split("\n")
    covered = [line for block in parse_blocks(text) for line in range(*block.lines)]

    assert len(covered) == len(set(covered))
    assert all(not lines[i].strip() for i in set(range(len(lines))) - set(covered))
