"""Titles over the titles of twins."""

import json

import pytest

from retrieval.ingest.chunking import chunk_book
from retrieval.ingest.markdown.blocks import parse_blocks
from retrieval.ingest.parsed_book import parse_book
from retrieval.ingest.tables.captions import title_among_twins, touching_title
from retrieval.ingest.tables.rows import transform_tables
from retrieval.language.vocabulary import Vocabulary
from retrieval.types import Book, Document

TABLE = "| a | b |\n| - | - |\n| 1 | 2 |\n"


def book_of(text):
    return parse_book(Book("b", "B", (Document("b", "d.md", text),)))


def tables_of(text):
    return book_of(text).tables


def under(*blocks):
    """The only table, below these blocks."""
    (table,) = tables_of("\n\n".join((*blocks, TABLE)))
    return table


@pytest.mark.parametrize(
    "bold", ["**Omens** **of the sea**", "__Omens__ __of__ __the sea__", "_**Omens** **of the sea**_"]
)
def test_a_line_that_is_bold_piece_by_piece_is_a_title(bold):
    assert under("# A", "Other words.", bold).title == "Omens of the sea"


@pytest.mark.parametrize("line", ["**Hull** oak **Mast** pine", "**Hull** oak", "Oak **hull**", "****"])
def test_a_line_that_is_not_bold_all_along_is_none(line):
    assert under("# A", "Other words.", line).title is None


def test_a_title_is_over_the_table_that_is_below_its_prose():
    assert under("**Ghast**", "_(turned as type 6)_").caption == "Ghast"
    assert under("**Ghast**", "words " * 60, "- more", "words " * 60).caption == "Ghast"
    assert under("**Ghast**", "# B").caption is None
    assert under("**Ghast**", "**Bag of Tides.** It is heavy.", "words " * 60).caption is None
    assert [table.caption for table in tables_of(f"**Ghast**\n\n{TABLE}\n{'words ' * 60}\n\n{TABLE}")] == [
        "Ghast",
        None,
    ]


def test_a_caption_over_prose_is_the_tables_and_a_title_stays_with_the_prose():
    far = "words " * 60
    (captioned, _), (titled, _) = (
        chunk_book(book, transform_tables(book.tables, Vocabulary.default()))
        for book in (book_of(f"# A\n\n{bold}\n\n{far}\n\n{TABLE}") for bold in ("**Table: Omens**", "**Omens**"))
    )

    assert captioned.text == f"# A\n\n**Table: Omens** (table)\n\n{far.strip()}"
    assert titled.text == f"# A\n\n**Omens**\n\n{far.strip()}\n\n[Table: Omens]"


def test_the_sentence_below_a_title_is_said_about_the_table():
    table = under("**Omens**", f"{'words ' * 60}. The following table lists what they mean.")

    assert (table.title, table.about) == ("Omens", "The following table lists what they mean.")


@pytest.mark.parametrize(
    ("above", "title"),
    [
        ("If in doubt, consult the\ntable below:", None),
        ("If in doubt, consult\ntable a referee likes:", None),
        ("If in doubt, consult the\n**Omens**", "Omens"),
        ("If in doubt, roll.\nTable 3-2: Omens", "Table 3-2: Omens"),
        ("If in doubt, roll.\n_Table IV_: Omens", "Table IV: Omens"),
        ("Table of omens:", "Table of omens"),
        ("Table 7. Omens of the sea.", "Table 7. Omens of the sea"),
        ("Table: Omens | | |", "Table: Omens"),
        ("Table 7 shows the omens of the sea.", None),
        ("Table 7: Omens of the Sea is for sailors.", None),
    ],
)
def test_the_end_of_a_wrapped_sentence_is_no_title(above, title):
    assert under(above).title == title


@pytest.mark.parametrize(
    ("above", "lead"),
    [
        ("`pump.state` has the following well-known values:", "pump.state has the following well-known values"),
        (
            "Fuses age. The following table lists the ratings of fuses.",
            "The following table lists the ratings of fuses.",
        ),
        ("Ratings are as follows. Never guess.", "Ratings are as follows."),
        ("Bark has three\ngrades. They are:", "Bark has three grades. They are"),
        ("The ferry calls at every pier, as shown below.", "The ferry calls at every pier, as shown below."),
        ("渡船の料金は以下の通り：", "渡船の料金は以下の通り"),
        ("渡船は冬に休む。", None),
        ("The ferry rests in winter. Nobody crosses.", None),
        ("A rope that is held below 0 degrees breaks.", None),
        (f"Ropes:{' and knots' * 30}:", None),
    ],
)
def test_the_sentence_that_speaks_of_a_table_is_its_caption_and_no_title(above, lead):
    table = under("# A", "Other words.", above)

    assert (table.caption, table.title) == (lead, None)
    assert table.introduced == (lead is not None)


def test_lists_and_code_above_a_table_do_not_introduce_it():
    assert under("# A", "- the following table:").caption is None
    assert under("# A", "    the following table:").caption is None
    assert under("# A", "- `rpc_port`").title == "rpc_port"
    assert under("# A", "- Check the pulse\n- `rpc_port`").title is None
    assert under("# A", "- [The schema](schema.json)").title is None
    assert under("# A", "- Check the pulse first.").title is None
    assert under("# A", "- Check the pulse\n\n  **Call the ward**").title is None


def test_a_name_in_bold_before_the_sentence_is_the_title():
    assert under("**Ring of Tides (any):** Heavy. Roll and consult the table below.").title == "Ring of Tides (any)"
    assert under("**Ring of Tides:** It is heavy.").caption is None
    assert under("**Note:** Consult the table below.").caption == "Note: Consult the table below."


def test_a_second_table_directly_under_the_first_shares_its_sentence_and_not_its_title():
    shared = tables_of(f"# A\n\nUse the following tables.\n\n{TABLE}\n{TABLE}")
    apart = tables_of(f"# A\n\nUse the following tables.\n\n{TABLE}\nOther words.\n\n{TABLE}")
    titled = tables_of(f"# A\n\n**Omens**\n\n{TABLE}\n{TABLE}")

    assert [table.caption for table in shared] == ["Use the following tables."] * 2
    assert [table.caption for table in apart] == ["Use the following tables.", None]
    assert [table.caption for table in titled] == ["Omens", None]


def test_a_numbered_line_below_a_table_is_its_caption_unless_a_table_follows():
    below = tables_of(f"{TABLE}\nTable 1: Omens.\n\nA word on omens.\n\n{TABLE}")
    above = tables_of(f"{TABLE}\nTable 1: Omens.\n\n{TABLE}")

    assert [table.title for table in below] == ["Table 1: Omens", None]
    assert [table.title for table in above] == [None, "Table 1: Omens"]


def test_where_tables_share_a_section_all_of_the_short_paragraph_introduces_each():
    bay, quay = (
        "Mix a paint for hulls. The recipe is below, in cups.",
        "Then a second one for masts. It has these parts:",
    )
    both = tables_of(f"# A\n\n{bay}\n\n{TABLE}\n{quay}\n\n{TABLE}")
    long = f"{'Paint is dear. ' * 20}The recipe is below."

    assert [table.caption for table in both] == [bay, quay.rstrip(":")]
    assert [table.title for table in both] == [None, None]
    assert under("# A", "Other words.", bay).caption == "The recipe is below, in cups."
    assert tables_of(f"# A\n\n{long}\n\n{TABLE}\n{quay}\n\n{TABLE}")[0].caption == "The recipe is below."


def test_a_short_paragraph_between_heading_and_table_is_what_the_table_is_about():
    table = under("# Ferry", "Crosses the *bay* every hour.")

    assert (table.caption, table.about) == (None, "Crosses the bay every hour.")
    assert under("# Ferry", "Crosses the bay.", "Rests in winter.").about == ""
    assert under("# Ferry", "**Speed** 4 knots").about == ""
    assert under("# Ferry", "- Crosses the bay.").about == ""
    assert under("# Ferry", "words " * 60).about == ""


def test_rows_are_found_by_the_sentence_and_called_by_the_heading():
    book = book_of(f"# Fuses\n\nThe following table lists the ratings.\n\n{TABLE}")
    rows = transform_tables(book.tables, Vocabulary.default())
    prose, row = chunk_book(book, rows)

    assert row.title == "Fuses - a 1"
    assert "The following table lists the ratings." in row.search_text
    assert json.loads(row.text)["title"] == "Fuses - a 1"
    assert "description" in json.loads(row.text)
    assert prose.text == "# Fuses\n\nThe following table lists the ratings.\n\n[Table: a, b]"


def test_a_short_paragraph_is_in_the_words_of_the_rows():
    book = book_of(f"# Ferry\n\nCrosses the bay.\n\n{TABLE}")
    _, row = chunk_book(book, transform_tables(book.tables, Vocabulary.default()))

    assert "Crosses the bay." in row.search_text
    assert row.caption is None


def test_a_record_under_a_sentence_is_called_by_its_heading():
    book = book_of("# Ferry\n\nIt has the following parts:\n\n| Hull: | oak |\n| - | - |\n| Mast: | pine |\n")
    (record,) = transform_tables(book.tables, Vocabulary.default())

    assert (record.key, record.names) == ("Ferry", ("Ferry",))


@pytest.mark.parametrize(
    "line", ["Table: Omens of the sea. {#tbl-omens}", ": Omens of the sea", "Table 2: Omens of the sea {.wide}"]
)
def test_a_line_of_pandoc_below_a_table_is_its_caption(line):
    (table,) = tables_of(f"{TABLE}\n{line}\n")

    assert table.title.removeprefix("Table 2: ") == "Omens of the sea"


def test_a_box_is_no_word_of_the_sentence_in_it():
    assert under("# A", ":::info\nValues are as follows:").caption == "Values are as follows"
    assert [table.rows[-1].cells for table in tables_of(f":::info\n\n{TABLE}:::\n")] == [("1", "2")]


@pytest.mark.parametrize(
    "above",
    [
        "<details>\n<summary>All <b>omens</b></summary>",
        "<p align='center'><b>All omens:</b></p>",
        ":::note All omens",
        ":::note[All omens]",
        "::::{admonition} All omens",
    ],
)
def test_an_html_title_and_the_title_of_a_box_are_titles_of_the_table_below(above):
    assert under("# A", above).title == "All omens"


def test_a_table_in_tabs_is_called_by_all_of_them_whatever_stands_between():
    def inside(depth: int) -> str:
        return "".join(f"{'    ' * depth}{line}\n" for line in TABLE.splitlines())

    nested, second, own, after = tables_of(
        f'# A\n\n=== "Sea"\n\n    === "North"\n\n        ![map](a.png)\n\n{inside(2)}\n'
        f'    === "South"\n\n        The rates are below.\n\n{inside(2)}\n'
        f'=== "Land"\n\n    **Omens**\n\n{inside(1)}\nAfter.\n\n{TABLE}\n'
    )
    assert [table.title for table in (nested, second, own, after)] == ["Sea: North", "Sea: South", "Land: Omens", None]
    assert second.about == "The rates are below."


def test_what_says_more_than_a_title_is_none():
    assert under("# A", "<p><b>Note:</b> omens lie.</p>").title is None
    assert under("# A", "**Read this whole section before you set any of the following values.**").title is None
    assert under("# A", "**What does it cost?**").title == "What does it cost?"


def test_a_box_of_mkdocs_titles_the_table_in_it():
    inside = "".join(f"    {line}\n" for line in TABLE.splitlines())
    boxed, tab = tables_of(
        f'# A\n\n!!! note "All omens"\n\n{inside}\n=== "Sea"\n\n    Few. Rates are:\n\n{inside}\nend\n'
    )

    assert [boxed.title, tab.title, tab.about] == ["All omens", "Sea", "Few. Rates are"]
    assert (boxed.rows[0].cells, boxed.rows[0].source) == (("1", "2"), "    | 1 | 2 |")


FAULTS = "| Code | Meaning |\n|---|---|\n| 1 | torn |\n"


def captions(text: str) -> list[str | None]:
    return [table.caption for table in tables_of(f"# Sails\n\n{text}")]


def test_titles_that_recur_are_told_apart_by_the_bold_line_above() -> None:
    one = f"**Hoist**\n\nUp it goes.\n\n**Faults**\n\n{FAULTS}\n"
    other = f"**Lower**\n\nDown it comes.\n\n**Faults**\n\n{FAULTS}\n"
    assert captions(one + other) == ["Hoist: Faults", "Lower: Faults"]
    parts = [f"**{name}**\n\n**Needs**\n\n{FAULTS}\n**Faults**\n\n{FAULTS}\n" for name in ("Hoist", "Lower", "Reef")]
    assert captions("".join(parts))[-2:] == ["Reef: Needs", "Reef: Faults"]
    assert captions(f"**Faults**\n\n{FAULTS}\n**Lower**\n\n**Faults**\n\n{FAULTS}") == ["Faults", "Lower: Faults"]


def test_nothing_changes_where_no_line_tells_them_apart() -> None:
    alone = f"**Faults**\n\n{FAULTS}\n"
    assert captions(alone + alone) == ["Faults", "Faults"]
    assert captions(f"**Lower**\n\nDown.\n\n{alone}Or else:\n\n{alone}") == ["Faults", "Faults"]
    assert captions(f"**Lower**\n\nDown.\n\n{alone}## Reefs\n\n{alone}") == ["Faults", "Faults"]


FIRMWARE = "| Firmware | Encoders |\n| - | - |\n| SV12 | 12 |"
PINS = "| Pin | Signal |\n| - | - |\n| 1 | A |"


def titles(*blocks):
    parsed = parse_blocks("\n\n".join(blocks))
    return [title_among_twins(parsed, index) for index, block in enumerate(parsed) if block.kind == "table"]


def test_a_line_that_tells_a_table_from_its_twin_is_its_title():
    lines = ("5I20 (3-port PCI), the old card", FIRMWARE, "4I68 (the newer one.)", FIRMWARE)

    assert titles("# Configurations", *lines) == [lines[0], lines[2]]
    assert titles(*lines, "7I43", PINS) == [lines[0], lines[2], ""]


@pytest.mark.parametrize(
    "above",
    [
        "The 4I68 came later.",
        "For the 4I68:",
        "4I68 Default\nConfigurations",
        "- 4I68",
        "5I20",
        "# 4I68",
        "(4I68)",
        "4I68 " + "and others " * 20,
        "12",
    ],
)
def test_no_other_line_is_a_title(above):
    assert titles("# Configurations", "5I20", FIRMWARE, above, FIRMWARE) == ["", ""]


def test_a_table_after_a_table_has_no_line_above_it():
    assert titles("5I20", FIRMWARE, "4I68", FIRMWARE, FIRMWARE + "\n| SV8 | 8 |")[2:] == [""]
    assert titles(FIRMWARE, "4I68", FIRMWARE) == ["", ""]


def test_the_title_is_said_with_every_row_and_is_no_prose():
    text = f"# Configurations\n\n5I20\n\n{FIRMWARE}\n\n4I68\n\n{FIRMWARE}\n"
    assert [table.title for table in tables_of(text)] == ["5I20", "4I68"]


@pytest.mark.parametrize(
    ("above", "title"),
    [
        ("Firmware of the old cards\n", "Firmware of the old cards"),
        ("Firmware of the old cards\n\n", ""),
        ("These are the cards.\n", ""),
        ("古いカード\n", "古いカード"),
        ("これらは古いカードである。\n", ""),
        ("A line above it\nFirmware\n", ""),
        ("one two three four five six seven eight nine ten eleven\n", ""),
        ("# Firmware\n", ""),
    ],
)
def test_a_short_line_that_touches_a_table_is_its_title(above, title):
    blocks = parse_blocks(above + FIRMWARE)

    assert touching_title(blocks, len(blocks) - 1) == title
    assert not title or tables_of(above + FIRMWARE)[0].title == title


@pytest.mark.parametrize(
    "above",
    [
        "A fuse burns at its rating. Roll on the following table when it burns.",
        "Roll on the following table when it burns:",
        "Roll on the following table when it burns. " + "It smells of rubber. " * 20,
        "Fuses are old. Roll on the following table when it burns.\n\n**Ratings**",
    ],
)
def test_the_purpose_is_the_sentence_above_that_names_the_table(above):
    assert under("# Fuses", above).purpose.rstrip(".") == "Roll on the following table when it burns"


@pytest.mark.parametrize(
    "above",
    [
        "A table is included below.",
        "These features are listed in the Ferry table.",
        "(Attacking a ferry is covered below.)",
        "Nobody may board a moving ferry (but see below).",
        "Ferries " + "and the people who wait for them " * 5 + "are in the following table.",
    ],
)
def test_a_sentence_that_says_nothing_more_or_too_much_is_no_purpose(above):
    assert under("# Ferry", above).purpose == ""


def test_the_purpose_is_one_sentence_of_what_is_above():
    long = "Crosses the windy bay every hour. " + "It is slow. " * 30
    assert under("# Ferry", long).purpose == "Crosses the windy bay every hour."
    assert under("# Ferry", long, "**Times**").purpose == "Crosses the windy bay every hour."
    assert under("# Ferry", long, "It rests in winter.").purpose == ""
    above = "Mix a paint for hulls. Its full recipe in cups is below."
    first, _ = tables_of(f"# A\n\n{above}\n\n{TABLE}\nOther words.\n\n{TABLE}")
    assert (first.caption, first.purpose) == (above, "Its full recipe in cups is below.")
