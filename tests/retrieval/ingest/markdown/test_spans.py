import pytest

from retrieval.ingest.markdown.blocks import parse_blocks
from retrieval.ingest.markdown.spans import spaced_tables, spans_of, without_marks

TABLE = "| a | b |\n| - | - |\n| 1 | 2 |"


def find_spans(text):
    return [(span.kind, span.source, span.is_paragraph) for span in spans_of(text)]


def indented(text, margin):
    return "\n".join(margin + line for line in text.split("\n"))


@pytest.mark.parametrize(
    ("before", "margin", "after"),
    [
        ("1. Open it.\n2. Set these:", "   ", "3. Close it."),
        ("- Open it.\n- Set these:", "  ", "- Close it."),
        ("> Quoted.\n>\n> Set these:", "> ", ""),
        ("- > Set these:", "  > ", "- Close it."),
    ],
)
def test_a_table_in_a_list_or_a_quotation_is_a_span_and_so_is_the_paragraph_above_it(before, margin, after):
    table = indented(TABLE, margin)
    spans = list(spans_of(f"{before}\n{margin.rstrip()}\n{table}\n\n{after}"))
    above, own = spans[-3:-1] if after else spans[-2:]

    assert (own.kind, own.source) == ("table", table)
    assert above.is_paragraph
    assert without_marks(above.source).strip() == "Set these:"
    assert spans[0].start == 0


def test_a_list_without_a_table_stays_whole():
    assert find_spans("- a\n\n  b\n- c") == [("text", "- a\n\n  b\n- c", False)]


CARDS = """-   __1. Limits__

    ---

    === "Doses"

        | a | b |
        | - | - |
        | 1 | 2 |

    === "Notes"

        ## Not a heading

1.  Plain.
"""


@pytest.mark.parametrize("narrow", [False, True])
def test_what_is_in_an_item_of_a_list_is_read_like_what_is_outside_of_it(narrow):
    text = CARDS.replace("-   __1", "- __1") if narrow else CARDS
    spans = list(spans_of(text))

    assert [span.kind for span in spans] == ["text", "text", "text", "table", "text", "text", "text"]
    assert without_marks(spans[0].source) == "__1. Limits__"
    assert spans[0].is_paragraph
    assert spans[3].source == indented(TABLE, " " * 8)
    assert [(span.start, span.source) for span in spans] == [
        (span.start, "\n".join(text.split("\n")[span.start : span.end])) for span in spans
    ]


def test_a_list_with_a_note_stays_whole():
    text = "- a\n\n    !!! note\n        Hot.\n- b"
    assert find_spans(text) == [("text", text, False)]


def test_two_tables_in_one_list_are_two_spans_with_their_lines():
    spans = list(spans_of(f"- a\n\n{indented(TABLE, '  ')}\n- b\n\n{indented(TABLE, '  ')}\n", first=7))

    assert [(span.kind, span.start, span.end) for span in spans] == [
        ("text", 7, 8),
        ("table", 9, 12),
        ("text", 12, 13),
        ("table", 14, 17),
    ]


@pytest.mark.parametrize("line", [":::", "[1] A note.", "Table 3: Omens", "</details>"])
def test_a_table_ends_at_a_line_without_a_pipe(line):
    assert [source for _, source, _ in find_spans(f"{TABLE}\n{line}\n")] == [TABLE, line]


def test_a_row_without_outer_pipes_is_a_row():
    bare = "a | b\n--- | ---\n1 | 2\n3 | 4"

    assert find_spans(bare) == [("table", bare, False)]


def test_marks_of_lists_quotations_and_boxes_are_no_words():
    assert without_marks("> - one\n> two") == "one\ntwo"
    assert without_marks(":::info\none\n:::") == "one"


@pytest.mark.parametrize("fence", ["```", "~~~", "```text"])
def test_a_table_alone_in_a_fence_without_a_language_is_a_table(fence):
    spans = list(spans_of(f"Words.\n\n{fence}\n{TABLE}\n{fence[:3]}\n\nEnd."))

    assert [(span.kind, span.start, span.end) for span in spans] == [("text", 0, 1), ("table", 3, 6), ("text", 8, 9)]


@pytest.mark.parametrize(
    "text",
    [
        f"```markdown\n{TABLE}\n```",
        f"```\n{TABLE}\n\nand words\n```",
        f"```\n{TABLE}\nand words\n```",
        f"```\n{TABLE}",
        "```\na | b\n```",
    ],
)
def test_other_fences_are_code(text):
    assert find_spans(text) == [("text", text, False)]


def test_an_indented_table_is_a_table_and_other_indented_text_is_code() -> None:
    indented = "\n".join(f"    {line}" for line in ("Sliders:", "", *TABLE.split("\n")))
    spans = list(spans_of(f"<TabItem>\n\n{indented}\n\n</TabItem>"))
    assert [(span.kind, span.start, span.end) for span in spans if span.kind != "html"] == [
        ("text", 2, 3),
        ("table", 4, 7),
    ]
    assert find_spans("    a = b | c\n    --x\n") == [("text", "    a = b | c\n    --x", False)]


def test_html_in_a_raw_fence_of_pandoc_is_html() -> None:
    table = "<table>\n<tr><td>1</td></tr>\n</table>"
    assert find_spans(f"```{{=html}}\n{table}\n```") == [("html", table, False)]
    assert find_spans(f"```html\n{table}\n```")[0][0] == "text", "code that is shown"
    assert find_spans(f"```{{=html}}\n{table}")[0][0] == "text", "a fence without an end"


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


@pytest.mark.parametrize(
    ("markup", "shown"),
    [
        ("**Ports**\n:::note", "**Ports**"),
        ("::: {.wide}\nwords", "words"),
        ("**Ports**\n:::note Before you open one", "**Ports**\n:::note Before you open one"),
        ("words\n:::", "words"),
    ],
)
def test_a_mark_of_a_box_goes_but_not_its_title(markup: str, shown: str) -> None:
    assert without_marks(markup) == shown


@pytest.mark.parametrize(
    "text",
    [
        "Band | Rate | Half\n- | - | -\nA | 1 | 2",
        "Band | Rate | Half\n- | -\nA | 1 | 2",
        "Band | Rate | Half\n---|---\nA | 1 | 2",
        "| Band | Rate | Half |\n|---|---|---|---|\n| A | 1 | 2 |",
        "> Band | Rate | Half\n> - | - | -\n> A | 1 | 2",
        "| Band | Rate |\n|---  ---|---|\n| A | 1 |",
        "| Band | Rate |\n|------+------|\n| A | 1 |",
        "Code|Name||Code|Name\n----|----||----|----\nen|English||bg|Bulgarian",
    ],
)
def test_dashes_between_a_header_and_rows_make_a_table_however_many_they_are(text: str) -> None:
    assert [(span.kind, span.source) for span in spans_of(text)] == [("table", text)]


@pytest.mark.parametrize("text", ["- | -\n- A | B", "A | B\n- | -", "A | B\n- C | D\n- E | F", "A | B\n---\nC | D"])
def test_dashes_elsewhere_make_no_table(text: str) -> None:
    assert all(span.kind != "table" for span in spans_of(text))


def test_rows_behind_a_tab_belong_to_the_table_above_them_and_those_of_code_do_not():
    (table, text) = spans_of("  Band\t| Hz\n  ---|---\n\t1\t| 50\n    2 | 140\n\nText\n")
    assert (table.kind, table.source.count("\n"), table.source.endswith("\t1\t| 50\n    2 | 140")) == ("table", 3, True)
    assert text.source == "Text"
