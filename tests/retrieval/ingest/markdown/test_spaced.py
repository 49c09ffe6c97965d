import pytest

from retrieval.ingest.markdown.blocks import parse_blocks
from retrieval.ingest.markdown.spaced import spaced_tables

SIMPLE = """Boat     Crew
------- -----
Skiff       2
Ketch       4"""
HEADLESS = """------- -----
Skiff       2
Ketch       4
------- -----"""
BORDERED = """--------------
Boat     Crew
         (all)
------- ------
Skiff        2

Long
ketch        4
--------------"""


@pytest.mark.parametrize("table", [SIMPLE, HEADLESS, BORDERED])
@pytest.mark.parametrize(
    ("before", "after"), [("", ""), ("Some words.\n\n", "\n\nMore words."), ("# Boats\n", "\n\n# End")]
)
def test_the_lines_of_a_table_are_found_between_other_blocks(table, before, after):
    start = before.count("\n")

    assert spaced_tables(before + table + after) == ((start, start + table.count("\n") + 1),)


def test_several_tables_are_found_in_order():
    assert spaced_tables(f"{SIMPLE}\n\n{HEADLESS}\n\n{BORDERED}\n") == ((0, 4), (5, 9), (10, 19))


@pytest.mark.parametrize(
    "text",
    [
        f"```\n{SIMPLE}\n```",
        "> " + SIMPLE.replace("\n", "\n> "),
        "- " + SIMPLE.replace("\n", "\n  "),
        "A sentence that runs over it\n------- -----\nand another one below",
        "------- -----\nSkiff       2\n\n\nKetch       4\n------- -----",
        "------- -----\nSkiff       2\n# Ketches\n------- -----",
        "Boat     Crew\n------- -----\n\nA paragraph.",
        "First\n------- -----\nSecond",
        "Words.\n\n--------------\n\nWords.",
    ],
)
def test_what_only_looks_like_one_is_none(text):
    assert spaced_tables(text) == ()


def test_a_line_of_dashes_does_not_part_a_table_from_its_header():
    kinds = [(block.kind, block.lines) for block in parse_blocks(f"Words.\n\n{SIMPLE}\n\nEnd.")]

    assert kinds == [("text", (0, 1)), ("table", (2, 6)), ("text", (7, 8))]
