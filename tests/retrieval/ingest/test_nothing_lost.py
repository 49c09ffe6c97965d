"""Every word of a source reaches a chunk, unless it is a comment or where a link leads to."""

import re
from itertools import count

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from retrieval.ingest.chunking import chunk_book
from retrieval.ingest.parsed_book import parse_book
from retrieval.ingest.tables.rows import transform_tables
from retrieval.language.vocabulary import Vocabulary
from retrieval.types import Book, Chunk, Document
from tools.bench.documents import lost_words

LONG = 40
"""Words of a long paragraph; a few of them pass the 256 tokens of a passage."""


def chunks_of(text: str) -> tuple[Chunk, ...]:
    parsed = parse_book(Book("b", "B", (Document("b", "d.md", text),)))
    return chunk_book(parsed, transform_tables(parsed.tables, Vocabulary.default(), [text]))


def lost(text: str) -> list[str]:
    """Words `w<number>x` of the source that no chunk holds."""
    return lost_words(text, chunks_of(text))


def cells(n: int, of_row: bool) -> str:
    return "| " + " | ".join(["@" if of_row else ""] * n) + " |"


def pipe_table(columns: int, bodies: list[bool]) -> str:
    return "\n".join([cells(columns, True), "|" + "---|" * columns, *(cells(columns, body) for body in bodies)])


def html_table(columns: int, bodies: list[bool]) -> str:
    head = "<tr>" + "<th>@</th>" * columns + "</tr>"
    rows = ["<tr>" + f"<td>{'@' if body else ''}</td>" * columns + "</tr>" for body in bodies]
    return "\n".join(["<table>", head, *rows, "</table>"])


TABLES = st.tuples(st.integers(1, 4), st.lists(st.booleans(), max_size=4))
PARAGRAPH = st.sampled_from(["@", "@ @ @", "@\n@", " ".join(["@"] * LONG), "@ @:", "The following table lists @."])
BLOCK = st.one_of(
    st.builds(lambda level: f"{'#' * level} @ @", st.integers(1, 6)),
    st.sampled_from(["@ @\n===", "@ @\n---", "@ @\n@ @\n---", "**@ @**", "**@:**", "Table 1: @", "---", "***"]),
    PARAGRAPH,
    PARAGRAPH.map(lambda text: "\n".join(f"> {line}" for line in text.split("\n"))),
    st.sampled_from(["- @\n- @\n  - @", "1. @\n2. @", "```\n@\n```", "    @ @", ":::note @\n@\n:::", "- @\n\n  @"]),
    st.sampled_from(
        ["[@](http://e.org)", "![@](a.png)", "`@` *@* ~~@~~", "<div>@</div>", "* @\n\n---", "@[^1]\n\n[^1]: @"]
    ),
    TABLES.map(lambda shape: pipe_table(*shape)),
    TABLES.map(lambda shape: html_table(*shape)),
    TABLES.map(lambda shape: "\n".join(f"> {line}" for line in pipe_table(*shape).split("\n"))),
)


def numbered(blocks: list[str]) -> str:
    numbers = count(1)
    return re.sub("@", lambda _: f"w{next(numbers)}x", "\n\n".join(blocks)) + "\n"


@settings(max_examples=100, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(BLOCK, min_size=1, max_size=12))
def test_every_word_of_a_source_is_in_a_chunk(blocks):
    text = numbered(blocks)

    assert lost(text) == []


LONG_SECTION = ["# @", *[" ".join(["@"] * LONG)] * 4]


@pytest.mark.parametrize(
    "block",
    [
        "## @",
        "@ @\n---",
        "@ @\n@ @\n---",
        "**@ @**",
        pipe_table(3, []),
        pipe_table(3, [False, False]),
        html_table(2, [False]),
    ],
)
@pytest.mark.parametrize("place", [0, 1, 3, 5])
def test_what_has_nothing_below_it_is_kept_in_a_long_section_too(block, place):
    assert lost(numbered([*LONG_SECTION[:place], block, *LONG_SECTION[place:]])) == []


@pytest.mark.parametrize("n", [1, 3, 400])
def test_a_document_of_headings_alone_is_searched_by_them(n):
    text = numbered(["# @ @", *["## @ @"] * (n - 1)])

    assert lost(text) == []
    assert all(chunk.kind == "prose" and len(chunk.text) <= 4 * 256 for chunk in chunks_of(text))
