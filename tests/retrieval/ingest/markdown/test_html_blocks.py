"""Raw HTML, as a content management system writes it without any blank line."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retrieval.ingest.markdown.blocks import parse_blocks
from retrieval.ingest.markdown.html_blocks import html_blocks
from retrieval.ingest.markdown.spans import Span

PAGE = """<h2><strong>Mooring</strong> &amp; <em>berths</em></h2>
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
    assert [(block.kind, block.level, block.lines, block.heading_path) for block in parse_blocks(PAGE)] == [
        ("heading", 2, (0, 1), ("Mooring & berths",)),
        ("html", 0, (1, 3), ("Mooring & berths",)),
        ("heading", 3, (3, 6), ("Mooring & berths", "Fees")),
        ("html", 0, (6, 7), ("Mooring & berths", "Fees")),
        ("html", 0, (7, 11), ("Mooring & berths", "Fees")),
        ("html", 0, (11, 12), ("Mooring & berths", "Fees")),
    ]


def test_a_summary_stays_with_the_first_paragraph_below_it():
    text = "<details>\n<summary>Who pays?</summary>\n<div>\n<p>The owner.</p>\n<p>In cash.</p>\n</div>\n</details>"
    blocks = parse_blocks(f"{text}\n{text}")
    assert [block.lines for block in blocks] == [(0, 4), (4, 7), (7, 11), (11, 14)]


@pytest.mark.parametrize(
    "text",
    [
        "<pre>\n<p>code</p>\n<h2>code</h2>\n</pre>",
        "<!-- hidden\n<p>old</p>\n<h2>old</h2>\n--> shown",
        "<ol>\n<li>\n<p>first</p>\n<ul>\n<li>inner</li>\n</ul>\n</li>\n</ol>",
    ],
)
def test_preformatted_text_comments_and_lists_stay_whole(text):
    assert len(list(html_blocks(Span("html", 0, 0, text.count("\n") + 1, text)))) == 1


@pytest.mark.parametrize("heading", ["<h2><img src='a.png'></h2>", "<h2>{{ page.title }}</h2>", "<h2>no end"])
def test_a_heading_without_words_of_its_own_is_none(heading):
    assert [span.kind for span in html_blocks(Span("html", 0, 0, 1, heading))] == ["html"]


def test_an_underlined_heading_may_begin_with_a_tag():
    assert [block.heading_path for block in parse_blocks('<a id="fees"></a>Fees\n====\n')] == [("Fees",)]


LINES = ["<p>a", "</p>", "<h2>b</h2>", "<ul>", "</ul>", "<details>", "<!--", "-->", "<pre>", "</pre>", "c", ""]


@given(st.lists(st.sampled_from(LINES), min_size=1))
def test_every_line_is_in_one_block(lines):
    parts = list(html_blocks(Span("html", 0, 3, 3 + len(lines), "\n".join(lines))))
    assert "\n".join(part.source for part in parts) == "\n".join(lines)
    assert [part.start for part in parts] == [3, *(part.end for part in parts[:-1])]
    assert parts[-1].end == 3 + len(lines)
