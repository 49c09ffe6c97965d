"""Listings: which blocks of code are one, and what each row says."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retrieval.ingest.chunking import chunks_of_book
from retrieval.ingest.tables.listings import MIN_DESCRIBED, default_in, parse_listing
from retrieval.language.vocabulary import Vocabulary
from retrieval.types import Book, Document

ABOVE = """```yaml
mail:
  # The address that messages are sent from.
  [ from: <string> | default = "desk@example.org" ]
  # The port of the server, one of the
  # three that are in use.
  port: 587
  # What signs the messages.
  keys:
    - first
    - second

# How the pages are served.
web:
  port: 8080  # must be free on this machine
  # Names of hosts that may ask.
  hosts: []
```
"""
BELOW = """```
[boiler]
sensor_pin:
heater_pin:
#   The pins of the board. Both must be given.
#max_temp: 95.5
#   No water is heated further. The default is 95.5.
#   It is in degrees.
#hold_time: 30
#   How long it stays hot, in minutes.
#ramp: 2
#   Degrees in a minute.
```
"""


OPTIONS = """```
Usage: boil [options] [file]

  -c, --config FILE     where the settings
                        are read from
  -n, --dry-run         show what would be done
      --max-temp=<deg>  no water is heated further (default 95.5)
  [-q]                  say nothing at all

Report faults to the maker.
```
"""


def cells_of(source):
    table = parse_listing(source)
    assert table is not None
    return [row.cells for row in table.rows]


def test_a_comment_above_describes_and_a_name_of_two_sections_has_that_of_its_own():
    assert cells_of(ABOVE) == [
        ("from", "mail", '<string> | default = "desk@example.org"', "The address that messages are sent from."),
        ("mail.port", "mail", "587", "The port of the server, one of the three that are in use."),
        ("keys", "mail", "- first - second", "What signs the messages."),
        ("web", "", "", "How the pages are served."),
        ("web.port", "web", "8080", "must be free on this machine"),
        ("hosts", "web", "[]", "Names of hosts that may ask."),
    ]


def test_a_comment_below_describes_all_settings_directly_above_it():
    pins = "The pins of the board. Both must be given."
    assert cells_of(BELOW) == [
        ("sensor_pin", "boiler", "", pins),
        ("heater_pin", "boiler", "", pins),
        ("max_temp", "boiler", "95.5", "No water is heated further. The default is 95.5. It is in degrees."),
        ("hold_time", "boiler", "30", "How long it stays hot, in minutes."),
        ("ramp", "boiler", "2", "Degrees in a minute."),
    ]


def test_the_options_of_a_help_text_are_rows_with_all_lines_of_what_they_do():
    table = parse_listing(OPTIONS)
    assert table is not None
    assert [row.cells for row in table.headers] == [("option", "argument", "default", "meaning")]
    assert [row.cells for row in table.rows] == [
        ("-c, --config", "FILE", "", "where the settings are read from"),
        ("-n, --dry-run", "", "", "show what would be done"),
        ("--max-temp", "<deg>", "95.5", "no water is heated further (default 95.5)"),
        ("-q", "", "", "say nothing at all"),
    ]
    assert [(row.start, row.end) for row in table.rows] == [(3, 5), (5, 6), (6, 7), (7, 8)]


USAGE = """```
usage: brew [-h] [-c FILE]
            [--hops {mild,bitter}]
            [--quiet]

options:
  -c FILE, --config FILE, --settings FILE
                        where the settings are read from
  -t MALT [MALT ...], --types MALT [MALT ...]
                        what the mash is made of
  --hops {mild,bitter}, --bitterness {mild,bitter}
                        how bitter it becomes
  --quiet               say nothing at all
```"""


def test_names_of_an_option_may_each_have_the_argument_and_a_summary_is_no_row():
    table = parse_listing(USAGE)
    assert table is not None
    assert [row.cells for row in table.rows] == [
        ("-c, --config, --settings", "FILE", "where the settings are read from"),
        ("-t, --types", "MALT [MALT ...]", "what the mash is made of"),
        ("--hops, --bitterness", "{mild,bitter}", "how bitter it becomes"),
        ("--quiet", "", "say nothing at all"),
    ]


def test_long_calls_and_lines_of_very_many_names_list_no_options_in_time():
    call = 'brew mash \\\n  -d \'{\n    "malt": "of the very best",\n    "hops": 3\n  }\'\n\n'
    assert parse_listing(f"```bash\n{call * 3}```") is None
    line = "-a b, " * 20_000
    assert parse_listing(f"```\n{line}\n{line}c\n-a  some words here\n```") is None


@pytest.mark.parametrize(
    ("words", "default"),
    [
        ("how long it stays hot (default 30 minutes), in all", "30 minutes"),
        ('names of hosts (default ["a", "b"])', '["a", "b"]'),
        ("the port; default: 8080", "8080"),
        ("[default: auto]", "auto"),
        ("The default value is 95.5. It is in degrees.", "95.5"),
        ("Defaults to `low`", "`low`"),
        ("The default is to use the name of the file.", ""),
        ("(default: shown below)", ""),
        ("by default, all of them", ""),
        ("(default )", ""),
    ],
)
def test_what_words_say_of_the_default_is_a_cell(words, default):
    assert default_in(words) == default


def test_a_row_has_the_lines_of_its_setting_and_of_what_describes_it():
    table = parse_listing(ABOVE)
    assert table is not None
    assert [(row.start, row.end) for row in table.rows][:3] == [(2, 4), (4, 7), (7, 11)]


@pytest.mark.parametrize(
    "source",
    [
        "```python\n" + ABOVE.removeprefix("```yaml\n"),
        "```yaml\n# The first of all.\na: 1\n# The second of all.\nb: 2\nc: 3\n```",
        "```yaml\na: 1\nb: 2\nc: 3\nd: 4\n```",
        "```\n$ run --now\nstarted at once: yes\n$ stop\nended: yes\n$ look\n# nothing was found here\nfound: no\n```",
        "```diff\n--- a  the one side\n--- b  the other side\n--- c  a third side\n```",
        "```sh\nboil --now  # at full heat\nboil --later -n 3\nboil --never\n```",
        "```\n" + "some words of a text\n" * 9 + "-a  one of them\n-b  two of them\n-c  all of them\n```",
        "a: 1\nb: 2\nc: 3",
    ],
    ids=[
        *("a program", "two described", "none described", "a dialogue"),
        *("another language", "calls of a command", "mostly words", "no fence"),
    ],
)
def test_other_blocks_are_no_listing(source):
    assert parse_listing(source) is None


def test_each_setting_is_a_row_and_the_block_stays_a_passage():
    book = Book("b", "B", (Document("b", "d.md", f"# Boilers\n\nWrite this file.\n\n{BELOW}"),))
    chunks = chunks_of_book(book, Vocabulary.default())
    rows = {chunk.row_key: chunk for chunk in chunks if chunk.kind == "row"}
    assert set(rows) == {"sensor_pin", "heater_pin", "max_temp", "hold_time", "ramp"}
    assert rows["max_temp"].source == "\n".join(BELOW.split("\n")[5:8])
    assert rows["max_temp"].lines == (10, 12)
    (passage,) = (chunk for chunk in chunks if chunk.kind == "prose")
    assert BELOW.strip() in passage.text


def test_the_passages_of_a_long_listing_do_not_part_its_rows():
    words = "and many words more" * 10
    lines = [f"# What number {number} is for, {words}.\nsetting_{number}: {number}" for number in range(150)]
    text = "\n".join(("# Long", "", "```yaml", *lines, "```"))
    chunks = chunks_of_book(Book("b", "B", (Document("b", "d.md", text),)), Vocabulary.default())
    kinds = [chunk.kind for chunk in sorted(chunks, key=lambda chunk: chunk.position)]
    assert kinds.count("prose") > 1
    assert kinds.count("row") == 150
    first = kinds.index("row")
    assert set(kinds[first : first + 150]) == {"row"}


LINES = st.sampled_from(
    (
        *("a: 1", "  b: two", "#c: 3", "# words that describe a thing", "#", "", "[part]", "- d: x", "- e", "    f:"),
        *("????", "-g  words that describe", "  -i, --jkl X  words that describe", "          and more words"),
    )
)


@given(st.lists(LINES, max_size=30))
def test_every_row_has_its_setting_within_its_lines(lines):
    source = "\n".join(("```", *lines, "```"))
    table = parse_listing(source)
    if table is None:
        return
    assert len(table.rows) >= MIN_DESCRIBED
    for row in table.rows:
        assert 0 < row.start < row.end <= len(lines) + 1
        assert row.cells[0].rsplit(".", 1)[-1] in "\n".join(source.split("\n")[row.start : row.end])
