import re
import subprocess
import sys

import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st

from retrieval.ingest.markdown import blocks as markdown_blocks
from retrieval.ingest.markdown.blocks import parse_blocks, with_title
from retrieval.ingest.markdown.html_tables import TableScan
from retrieval.ingest.markdown.spans import Span


def test_blocks_stand_under_their_headings_whatever_levels_are_skipped():
    blocks = parse_blocks("intro\n\n# A\n\n## B\n\ntext\n\n# C\n\nmore\n")
    assert [(b.kind, b.heading_path) for b in blocks] == [
        ("text", ()), ("heading", ("A",)), ("heading", ("A", "B")), ("text", ("A", "B")), ("heading", ("C",)),
        ("text", ("C",)),
    ]  # fmt: skip
    blocks = parse_blocks("# A\n\n### C\n\n## B\n\n### D\n")
    assert [b.heading_path for b in blocks] == [("A",), ("A", "C"), ("A", "B"), ("A", "B", "D")]


def test_a_pipe_table_is_one_block_and_a_pipe_in_prose_is_not():
    blocks = parse_blocks("a | b is prose\n\n| x | y |\n| --- | --- |\n| 1 | 2 |\n\nend\n")

    assert [b.kind for b in blocks] == ["text", "table", "text"]
    assert blocks[1].lines == (2, 5)


TABLE = "<table>\n<tr><td>1</td></tr>\n</table>"


def kinds(text):
    return [(block.kind, block.source.strip()) for block in parse_blocks(text)]


@pytest.mark.parametrize(
    ("text", "around"),
    [
        (f"{TABLE}\nThe text goes on.\n", [("html", TABLE), ("text", "The text goes on.")]),
        (f"{TABLE} and on.\n", [("html", TABLE), ("text", "and on.")]),
        (f"{TABLE}\n# B\n\nmore\n", [("html", TABLE), ("heading", "# B"), ("text", "more")]),
        (f"<p>Before.</p>\n{TABLE}\n", [("html", "<p>Before.</p>"), ("html", TABLE)]),
        (f"{TABLE}\n{TABLE}\n", [("html", TABLE), ("html", TABLE)]),
        (f"<center>{TABLE}</center>\n", [("html", f"<center>{TABLE}</center>")]),
        (f"<!-- <table> -->\n{TABLE}\n", [("html", TABLE)]),
        ("<table><tr><td>\n\n<table><tr><td>1</table>\n</td></tr></table>\n\nend", [
            ("html", "<table><tr><td>\n\n<table><tr><td>1</table>\n</td></tr></table>"), ("text", "end")]),
    ],
)  # fmt: skip
def test_an_html_table_is_a_block_apart_from_what_stands_around_it(text, around):
    assert kinds(text) == around


def test_an_html_table_without_an_end_ends_with_its_last_row():
    open_table = "<table>\n<tr><td>1</td></tr>\n\n<tr><td>2</td></tr>"

    for end in ("\nwords\n", "\n\nwords\n"):
        assert kinds(f"{open_table}{end}\n# B\n\ntext\n\n{TABLE}\n") == [
            ("html", open_table), ("text", "words"), ("heading", "# B"), ("text", "text"), ("html", TABLE),
        ]  # fmt: skip
    assert kinds(f"{open_table}\n\n{TABLE}\n") == [("html", open_table), ("html", TABLE)]


def test_blank_lines_and_headings_in_open_cells_do_not_end_an_html_table():
    blocks = parse_blocks("<table>\n<tr><td>1</td></tr>\n\n<tr><td>2</td></tr>\n</table>\n\nend\n")
    assert [b.kind for b in blocks] == ["html", "text"]
    assert len(kinds("<table><tr><td>\n\n# A\n\n</td></tr>\n</table>\n")) == 1


@example("</table><!--<table>\n\n<table>-->")
@given(
    st.lists(
        st.sampled_from(
            [
                "<table>", "</table>", "<tr>", "<td>", "</td>", "</tr>", "<p>", "a", "b ", "\n", "\n\n", "# h\n",
                "<!--", "-->",
            ]
        ),
        max_size=20,
    ).map("".join)
)  # fmt: skip
def test_no_word_is_lost_and_none_doubled_around_html_tables(text):
    assume(not re.search("<!--(?:(?!-->).)*<!--", text, re.DOTALL))  # which of the two begins the comment?

    def letters(markup):
        return "".join(re.sub("<!--.*?-->|<[^<>]*>", "", "".join(markup.split())))

    assert letters("".join(block.source for block in parse_blocks(text))) == letters(text)


@given(st.text(alphabet="#|-ab *<>\n\t`", max_size=200))
def test_every_line_that_is_not_blank_is_in_exactly_one_block(text):
    lines = text.split("\n")
    covered = [line for block in parse_blocks(text) for line in range(*block.lines)]

    assert len(covered) == len(set(covered))
    # Marks of quotations, fences around a table, and tags without words are not shown.
    shown = re.sub("<[^<>]*>", lambda tag: "\n" * tag[0].count("\n"), text).split("\n")
    assert all(not shown[i].strip("> \t`") for i in set(range(len(lines))) - set(covered))


def test_a_comment_is_no_block_and_takes_no_words_with_it():
    assert kinds("<!-- TODO: a\n\n# no heading -->\n\none\n\n<!-- b --> two <!-- c -->\n") == [
        ("text", "one"),
        ("html", "<!-- b --> two <!-- c -->"),
    ]
    assert parse_blocks("<!-- b --> two <!-- c -->\n")[0].shown.strip() == "two"
    assert parse_blocks("# A <!-- {#a} -->\n")[0].heading_path == ("A",)


def test_a_pipe_table_goes_on_below_a_comment():
    table = "| a |\n| - |\n| 1 |\n<!-- | 2 |\n-->\n| 3 |"

    assert kinds(f"{table}\n\nend\n") == [("table", table), ("text", "end")]
    assert len(kinds("| a |\n| - |\n| 1 |\n<!-- b -->\nwords\n")) == 2
    assert len(kinds("| a |\n| - |\n| 1 |\n\n<!-- b -->\n| 3 |\n")) == 2


def test_tags_without_words_and_the_imports_of_mdx_are_no_blocks():
    page = "import A from '@a/b';\nimport B from 'c'\n\n<p><img src='x'/></p>\n\n<Tabs>\n\n"
    text = f"{page}import duties from all ports\n"

    assert kinds(text) == [("text", "import duties from all ports")]


def test_what_is_indented_under_a_box_of_mkdocs_is_in_the_box():
    text = "!!! note\n    one\n\n    - two\n\n?? none\n\n    code\n"

    assert [(block.source, block.lines) for block in parse_blocks(text)] == [
        ("!!! note", (0, 1)), ("    one", (1, 2)), ("    - two", (3, 4)), ("?? none", (5, 6)), ("    code", (7, 8)),
    ]  # fmt: skip


@pytest.mark.parametrize("piece", ["<table><tr><td>x\n\n", "<table><tr><td>x\n\ny\n\n", "<table><tr><td>x"])
def test_twice_as_many_tables_without_an_end_tag_are_at_most_about_twice_the_work(monkeypatch, piece):
    read = 0
    feed = TableScan.feed

    def counted(self, text):
        nonlocal read
        read += len(text)
        feed(self, text)

    def work(times):
        nonlocal read
        read = 0
        parse_blocks(piece * times)
        return read

    monkeypatch.setattr(TableScan, "feed", counted)

    assert work(400) < 2.5 * work(200)


BLANKS = """
from retrieval.ingest.markdown.blocks import parse_blocks
from retrieval.ingest.prose_chunking import Cuts
from retrieval.ingest.prose_chunking import cut_into_passages
from retrieval.ingest.tables.source_tables import place_tables
from retrieval.types import Document
blanks = " " * 100_000
for line in (f"# a{blanks}b", f"a{blanks}b\\n===", f"**a{blanks}b**", f"# a{blanks}{{#b", f"# a{'{#' * 50_000}"):
    document = Document("b", "a.md", f"{line}\\n\\ntext\\n")
    blocks = parse_blocks(document.text)
    cut_into_passages(document, blocks, place_tables(document, blocks), Cuts(256))
"""


def test_a_heading_or_a_bold_line_of_blanks_has_an_end():
    # The regular expressions count nothing; they took many minutes for this.
    subprocess.run([sys.executable, "-c", BLANKS], check=True, timeout=100)


def test_one_run_of_dashes_under_all_columns_makes_a_table_too() -> None:
    table = "| Port | Use |\n| ---------- |\n| 1 | talk |\n| 2 | `a|b` |"
    (block,) = parse_blocks(f"{table}\n\n")
    assert (block.kind, block.source, block.is_paragraph) == ("table", table, False)
    assert [block.kind for block in parse_blocks("| a | b |\n| --- |\nwords")] == ["text"]


def test_a_line_for_one_writer_of_pandoc_is_no_block() -> None:
    (block,) = parse_blocks("`\\pagebreak`{=latex}\n`\\begin{multicols}{3}`{=latex}\n\nSails.")
    assert block.source == "Sails."


def test_a_list_of_terms_is_one_text_but_for_its_tables():
    table = "    | a | b |\n    |---|---|\n    | 1 | 2 |"
    text = f"Bag\n: Holds things.\n\n    As below.\n\n{table}\n\nRope\n\n: Is long.\n\n    Very.\n\nEnd."
    blocks = [(block.kind, block.lines) for block in parse_blocks(text)]
    assert blocks == [("text", (0, 2)), ("text", (3, 4)), ("table", (5, 8)), ("text", (9, 14)), ("text", (15, 16))]


def test_a_caption_below_a_paragraph_is_no_meaning_of_a_term():
    blocks = parse_blocks("Prices are fixed.\n\n: Prices\n\n| a | b |\n|---|---|\n| 1 | 2 |")
    assert [block.source for block in blocks[:2]] == ["Prices are fixed.", ": Prices"]


def test_attribute_lists_of_kramdown_are_no_blocks():
    blocks = parse_blocks("# Bags\n{: .no_toc }\n\n{:toc}\n\nSails.\n\n{::comment}\n\n{:ok, value}")
    assert [block.source for block in blocks] == ["# Bags", "Sails.", "{:ok, value}"]


STATS = "## Stats\n\nAs below.\n\n## Gear\n\nA sword."


def paths(text, path="04-fighter.md", stated=""):
    return list(dict.fromkeys(block.heading_path for block in with_title(parse_blocks(text), path, stated)))


def test_a_page_of_parts_is_under_what_it_is_called():
    assert paths(STATS) == [("Fighter", "Stats"), ("Fighter", "Gear")]
    assert paths(STATS, "classes/2_high-elf.md") == [("High elf", "Stats"), ("High elf", "Gear")]
    assert paths(STATS, "a.md", "Fighters of the North")[0] == ("Fighters of the North", "Stats")
    assert paths("A sword.", stated="Fighters") == [("Fighters",)]


def test_a_page_with_a_title_keeps_it():
    assert paths(f"# Warriors\n\n{STATS}", stated="Fighters")[1:] == [("Warriors", "Stats"), ("Warriors", "Gear")]
    assert paths("## Warriors\n\nThey fight.\n\n### Stats\n\nNone.") == [("Warriors",), ("Warriors", "Stats")]
    assert paths("## Warriors\n\nThey fight.", stated="Warriors") == [("Warriors",)]
    assert paths("A sword.") == [()]
    assert paths("") == []


def test_a_page_whose_sections_have_the_first_level_is_under_its_stated_title():
    sections = "Both parts.\n\n# Stats\n\nAs below.\n\n# Gear\n\nA sword."
    assert paths(sections, stated="Warriors") == [("Warriors",), ("Warriors", "Stats"), ("Warriors", "Gear")]
    assert paths("Both parts.\n\n# Stats", stated="Warriors") == [("Warriors",), ("Warriors", "Stats")]
    assert paths(sections, stated="Gear") == paths(sections) == [(), ("Stats",), ("Gear",)]


@pytest.mark.parametrize(
    "path", ["index.md", "03.md", "chapter-3.md", "appendix_B.md", "part iv.md", "Tables.md", "x.md"]
)
def test_a_file_whose_name_says_nothing_gives_no_title(path):
    assert paths(STATS, path) == [("Stats",), ("Gear",)]


def test_a_document_of_another_kind_is_as_it_is():
    assert paths(STATS, "T-17", "Login fails") == [("Stats",), ("Gear",)]


TABS = {
    "docusaurus": (
        '<Tabs>\n<TabItem value="f" label="Free plan">\n',
        '</TabItem>\n<TabItem label="Pro" value="p">\n',
        "</TabItem>\n</Tabs>",
    ),
    "gitbook": (
        '{% tabs %}\n{% tab title="Free plan" %}\n',
        '{% endtab %}\n{% tab title="Pro" %}\n',
        "{% endtab %}\n{% endtabs %}",
    ),
    "hugo": (
        '{{< tabs >}}\n{{< tab name="Free plan" >}}\n',
        '{{< /tab >}}\n{{% tab "Pro" %}}\n',
        "{{% /tab %}}\n{{< /tabs >}}",
    ),
}


@pytest.mark.parametrize("kind", TABS)
def test_a_block_knows_the_tabs_that_it_is_in(kind: str) -> None:
    first, second, end = TABS[kind]
    table = "| A | B |\n|---|---|\n| 1 | 2 |\n"
    blocks = parse_blocks(f"# Plans\n\n{first}\n{table}\n{second}\n{table}\n{end}\n\n{table}")
    assert [block.tabs for block in blocks if block.kind == "table"] == [("Free plan",), ("Pro",), ()]
    assert not any("tab" in block.source.lower() for block in blocks), "their marks are no text"


def test_a_tab_that_nobody_closed_ends_with_its_section_and_code_opens_none() -> None:
    text = '## A\n\n{% tab title="X" %}\n\none\n\n### In it\n\ntwo\n\n## B\n\nthree\n'
    text += '\n```\n<TabItem label="Y">\n```\n\nfour\n'
    found = {block.source: block.tabs for block in parse_blocks(text) if block.is_paragraph}
    assert found == {"one": ("X",), "two": ("X",), "three": (), "four": ()}


@pytest.mark.parametrize(
    ("text", "blocks"),
    [
        ("| Port | Use |\n| 1 | talk |", ["table"]),
        ("Ports:\n| Port | Use |\n| 1 | talk |\nEnd.", ["text", "table", "text"]),
        ("- Ports:\n| Port | Use |\n| 1 | talk |\n- End", ["text", "table", "text"]),
        ("> | Port | Use |\n> | 1 | talk |", ["table"]),
        ("| | |\n| 1 | talk |\n| 2 | play\n3 | wait |", ["table"]),
        ("| -- | -- |\n| 1 | talk |\n**2** | play |", ["table"]),
        ("| a | b |", ["text"]),
        ("| a | b\n| c | d", ["text"]),
        ("| a | b |\n| c |", ["text"]),
        ("```\n| a | b |\n| c | d |\n```", ["text"]),
        ("+---+---+\n| a | b |\n| c | d |", ["text"]),
    ],
)
def test_rows_without_a_line_of_dashes_are_a_table_apart_from_the_words_around_them(text, blocks):
    found = parse_blocks(text)

    assert [block.kind for block in found] == blocks
    assert "\n".join(block.source for block in found) == text


def test_the_name_of_a_tab_ends_at_the_quote_that_it_begins_with():
    (table,) = parse_blocks('{% tab title="Attribution d\'aides" %}\n\n| a |\n|---|\n| 1 |\n\n{% endtab %}\n')
    assert table.tabs == ("Attribution d'aides",)


CMS_PAGE = """<h2><strong>Mooring</strong> &amp; <em>berths</em></h2>
<p>Ships berth
for three days.</p>
<h3 class="x">
  Fees
</h3>
A fee is due.
<ul>
<li><p>large</p></li>
<li>small</li>
</ul>
<p>Paid at noon.</p>"""


def test_headings_paragraphs_and_lists_are_blocks_of_their_own():
    assert [(block.kind, block.level, block.lines, block.heading_path) for block in parse_blocks(CMS_PAGE)] == [
        ("heading", 2, (0, 1), ("Mooring & berths",)),
        ("html", 0, (1, 3), ("Mooring & berths",)),
        ("heading", 3, (3, 6), ("Mooring & berths", "Fees")),
        ("html", 0, (6, 7), ("Mooring & berths", "Fees")),
        ("html", 0, (7, 11), ("Mooring & berths", "Fees")),
        ("html", 0, (11, 12), ("Mooring & berths", "Fees")),
    ]


def test_a_summary_stays_with_the_first_paragraph_below_it():
    text = "<details>\n<summary>Who pays?</summary>\n<div>\n<p>The owner.</p>\n<p>In cash.</p>\n</div>\n</details>"
    assert [block.lines for block in parse_blocks(f"{text}\n{text}")] == [(0, 4), (4, 7), (7, 11), (11, 14)]


@pytest.mark.parametrize(
    "text",
    [
        "<pre>\n<p>code</p>\n<h2>code</h2>\n</pre>",
        "<!-- hidden\n<p>old</p>\n<h2>old</h2>\n--> shown",
        "<ol>\n<li>\n<p>first</p>\n<ul>\n<li>inner</li>\n</ul>\n</li>\n</ol>",
    ],
)
def test_preformatted_text_comments_and_lists_stay_whole(text):
    assert len(list(markdown_blocks._with_html_divided([Span("html", 0, 0, text.count("\n") + 1, text)]))) == 1


@pytest.mark.parametrize("heading", ["<h2><img src='a.png'></h2>", "<h2>{{ page.title }}</h2>", "<h2>no end"])
def test_a_heading_without_words_of_its_own_is_none(heading):
    assert [span.kind for span in markdown_blocks._with_html_divided([Span("html", 0, 0, 1, heading)])] == ["html"]


def test_an_underlined_heading_may_begin_with_a_tag():
    assert [block.heading_path for block in parse_blocks('<a id="fees"></a>Fees\n====\n')] == [("Fees",)]


HTML_LINES = ["<p>a", "</p>", "<h2>b</h2>", "<ul>", "</ul>", "<details>", "<!--", "-->", "<pre>", "</pre>", "c", ""]


@given(st.lists(st.sampled_from(HTML_LINES), min_size=1))
def test_every_line_is_in_one_block(lines):
    parts = list(markdown_blocks._with_html_divided([Span("html", 0, 3, 3 + len(lines), "\n".join(lines))]))
    assert "\n".join(part.source for part in parts) == "\n".join(lines)
    assert [part.start for part in parts] == [3, *(part.end for part in parts[:-1])]
    assert parts[-1].end == 3 + len(lines)
