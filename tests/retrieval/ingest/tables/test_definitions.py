"""Lists of definitions: which lists are one, and what each row says."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retrieval.ingest.chunking import chunks_of_book
from retrieval.ingest.markdown.parser import block_tokens
from retrieval.ingest.tables.definitions import MIN_ROWS, parse_definitions
from retrieval.language.vocabulary import Vocabulary
from retrieval.types import Book, Document

SETTINGS = """- **roll_size** <span id="roll_size"/> is the size at which a log is cut.

  A log that is full is cut at once.

  Default: `100MiB`
- **keep:** how many logs stay, the oldest goes first
- `compress`, `zip` - whether logs are packed
  - `gzip`: the usual way
  - only where the disk is small
- **`path`** where the logs are written
- [`mode`](#mode): rights of the file
  ```
  mode 0600
  ```
- **level** of what is logged
"""
ROWS = [
    ("roll_size", "", "is the size at which a log is cut. A log that is full is cut at once. Default: 100MiB"),
    ("keep", "", "how many logs stay, the oldest goes first"),
    ("compress, zip", "", "whether logs are packed"),
    ("gzip", "compress, zip", "the usual way only where the disk is small"),
    ("path", "", "where the logs are written"),
    ("mode", "", "rights of the file"),
    ("level", "", "of what is logged"),
]
"""One that defines nothing goes on with the item before it."""


def _rows(markdown: str) -> list[tuple[str, ...]]:
    book = Book("logs", "Logs", (Document("logs", "logging.md", f"# Logging\n\n{markdown}"),))
    return [chunk.cells for chunk in chunks_of_book(book, Vocabulary.default()) if chunk.kind == "row"]


def test_the_items_of_a_list_are_rows_by_name() -> None:
    assert _rows(SETTINGS) == ROWS


TERMS = """roll_size
: The size at which a log is cut.

    A log that is full is cut at once.

*keep*

:   how many logs stay,
the oldest goes first

    ```
    keep 3
    ```

compress
: whether logs are packed
: not on a small disk

This is a sentence that is much too long for a term
: and its words are ignored

path
: where the logs are written

mode
: rights of the file

level
: of what is logged
"""


def test_terms_are_rows_by_name_with_all_that_is_written_about_each() -> None:
    assert _rows(TERMS) == [
        ("roll_size", "The size at which a log is cut. A log that is full is cut at once."),
        ("keep", "how many logs stay, the oldest goes first"),
        ("compress", "whether logs are packed not on a small disk"),
        ("path", "where the logs are written"),
        ("mode", "rights of the file"),
        ("level", "of what is logged"),
    ]
    drawn = parse_definitions(TERMS)
    assert drawn is not None
    assert [(row.start, row.end) for row in drawn.rows[:3]] == [(0, 4), (5, 13), (14, 17)]


HEADINGS = """#### `ROLL_SIZE` {#roll}

: The size at which a log is cut.

: A log that is full is cut at once.

#### `KEEP`

: how many logs stay

Pack
: whether logs are packed

#### `PATH`
: where the logs are written
"""


def test_a_heading_is_no_term_even_above_its_meaning() -> None:
    lines, tokens = HEADINGS.split("\n"), block_tokens(HEADINGS)
    starts = {
        kind: [lines[token.map[0]] for token in tokens if token.type == kind and token.map]
        for kind in ("heading_open", "dt_open")
    }
    assert starts == {"heading_open": ["#### `ROLL_SIZE` {#roll}", "#### `KEEP`", "#### `PATH`"], "dt_open": ["Pack"]}


def test_the_list_stays_a_passage() -> None:
    book = Book("logs", "Logs", (Document("logs", "logging.md", f"# Logging\n\n{SETTINGS}"),))
    passages = [chunk for chunk in chunks_of_book(book, Vocabulary.default()) if chunk.kind == "prose"]
    assert "100MiB" in passages[0].text


def test_a_row_has_the_lines_of_its_item() -> None:
    drawn = parse_definitions(SETTINGS)
    assert drawn is not None
    assert [(row.start, row.end) for row in drawn.rows[:3]] == [(0, 5), (5, 6), (6, 7)]


@pytest.mark.parametrize(
    "markdown",
    [
        "\n".join(f"- **item{number}** is a thing" for number in range(MIN_ROWS - 1)),
        "\n".join(f"- item {number} is a thing that nothing marks" for number in range(9)),
        "\n".join(f"- **name{number}**" for number in range(9)),
        "\n".join("- **Note** do this again and again" for _ in range(9)),
        "\n".join(f"- **Step {number} is to do all that the step before has not done yet** now" for number in range(9)),
        "A paragraph with **bold** words in it.",
    ],
    ids=["short", "unmarked", "names", "repeated", "sentences", "paragraph"],
)
def test_other_lists_are_text_alone(markdown: str) -> None:
    assert parse_definitions(markdown) is None


def test_a_short_list_of_long_items_is_a_table() -> None:
    markdown = "\n".join(f"- **rule{number}** {'says much about one thing ' * 12}" for number in range(3))
    assert len(_rows(markdown)) == 3


ITEMS = ["- **a** is b", "- `c`: d e", "  - **f** g h", "", "  more", "```", "1. **x** y z"]
MEANINGS = [
    "term",
    ": what it is",
    ":",
    "",
    "    more",
    "    term",
    "    : within it",
    "    > quoted",
    "~ tilde of it",
    "```",
]
MANY = {
    "items": "\n".join(f"- **name{number}** is a thing" for number in range(12)),
    "terms": "\n".join(f"name {number}\n: is a thing\n" for number in range(12)),
}


@pytest.mark.parametrize("kind", MANY)
@given(st.data())
def test_rows_are_apart_and_in_order(kind: str, data: st.DataObject) -> None:
    more = data.draw(st.lists(st.sampled_from(ITEMS if kind == "items" else MEANINGS)))
    source = "\n".join([MANY[kind], *more])
    drawn = parse_definitions(source)
    rows = drawn.rows if drawn else ()
    assert all(row.start < row.end <= len(source.split("\n")) for row in rows)
    assert all(before.end <= after.start for before, after in pairwise(rows))
