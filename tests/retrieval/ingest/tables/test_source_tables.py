from dataclasses import replace

import pytest

from retrieval.ingest.parsed_book import parse_book
from retrieval.ingest.tables.reading import read_table
from retrieval.ingest.tables.rows import transform_tables
from retrieval.ingest.tables.source_tables import is_grid, parse_grid, parse_spaced, without_dittos
from retrieval.language.vocabulary import Vocabulary
from retrieval.types import Book, Document


def book_of(text):
    return Book("b", "B", (Document("b", "d.md", text, first_line=4),))


def only_table(text):
    (table,) = parse_book(book_of(text)).tables
    return table


def test_a_table_knows_its_caption_its_path_and_its_lines():
    table = only_table("# A\n\n**Armor Table:**\n\n| Armor | AC |\n| --- | --- |\n| *Leather* | 8 |\n")
    assert (table.caption, table.heading_path, table.lines) == ("Armor Table", ("A",), (8, 10))
    assert (table.rows[0].cells, table.rows[0].line) == (("Leather", "8"), 10)
    assert table.rows[0].source == "| *Leather* | 8 |"
    assert only_table("**Note** this and **that**\n\n| a | b |\n| - | - |\n| 1 | 2 |\n").caption is None


def test_a_ragged_row_loses_nothing_and_a_short_one_is_filled():
    table = only_table("| a | b |\n| - | - |\n| 1 | 2 | 3 |\n| 4 |\n")

    assert table.header == ("a", "b", "")
    assert [row.cells for row in table.rows] == [("1", "2", "3"), ("4", "", "")]


def test_html_tables_are_tables_with_their_lines():
    table = only_table("# A\n\n<table>\n<tr><th>x</th><th>y</th></tr>\n<tr><td>1</td><td>2</td></tr>\n</table>\n")
    assert (table.header, table.rows[0].cells, table.rows[0].line) == (("x", "y"), ("1", "2"), 8)
    one = "<table>\n<tr><th>x</th></tr>\n<tr><td>1</td></tr>\n</table>"
    first, second = parse_book(book_of(f"# A\n\n{one}\n{one}\n")).tables
    assert (first.lines, first.rows[0].line) == ((6, 9), 8)
    assert (second.lines, second.rows[0].line) == ((10, 13), 12)


def test_ids_hold_when_cells_change_and_differ_with_headings_and_between_twins():
    text = "# A\n\n| a | b |\n| - | - |\n| 1 | 2 |\n"
    assert only_table(text).id == only_table(text.replace("| 2 |", "| 3 |")).id
    assert only_table(text).id != only_table(text.replace("| b |", "| c |")).id
    first, second = parse_book(book_of("# A\n\n| a |\n| - |\n| 1 |\n\ntext\n\n| a |\n| - |\n| 1 |\n")).tables
    assert first.id != second.id
    assert replace(second, id=first.id, lines=first.lines, rows=first.rows) == first


def test_a_comment_in_a_table_is_no_cell_and_no_row():
    table = only_table("| a | b |\n| - | - |\n| 1 <!-- x | y --> | 2 |\n<!-- | 3 | 4 | -->\n| 5 | 6 |\n")

    assert [row.cells for row in table.rows] == [("1", "2"), ("5", "6")]
    assert (table.rows[0].source, table.rows[1].line) == ("| 1 <!-- x | y --> | 2 |", 8)


def test_a_second_delimiter_line_and_a_repeated_header_are_no_rows():
    table = only_table("| a | b |\n| - | - |\n| 1 | - |\n| --- | :-: |\n| - | - |\n| a | b |\n|---|---|\n| 3 | 4 |\n")

    assert [row.cells for row in table.rows] == [("1", "-"), ("-", "-"), ("3", "4")]
    assert [row.underlined for row in table.rows] == [True, False, False]


@pytest.mark.parametrize("delimiter", ["|---|---|", "|---|---|---|---|"])
def test_a_delimiter_line_of_too_few_or_too_many_columns_loses_no_row(delimiter):
    rows = [(f"h{number}", str(number), f"o{number}") for number in range(9)]

    table = only_table("\n".join(("| Host | Port | Owner |", delimiter, *(f"| {' | '.join(row)} |" for row in rows))))

    assert table.header == ("Host", "Port", "Owner")
    assert [row.cells for row in table.rows] == rows


@pytest.mark.parametrize("delimiter", ["|--- ---|---|", "|------+------|", "| : - : | : -: |", "| - : | :- : |"])
def test_a_delimiter_line_may_be_of_another_dialect(delimiter):
    table = only_table(f"| Host | Port |\n{delimiter}\n| alpha | 80 |\n")

    assert (table.header, [row.cells for row in table.rows]) == (("Host", "Port"), [("alpha", "80")])


def test_a_table_without_a_delimiter_line_has_a_blank_header_and_all_lines_as_rows():
    table = only_table("- Hosts\n| Host | Port | Owner |\n| alpha | 80 | ada |\n")

    assert table.header == ("", "", "")
    assert [(row.cells, row.line) for row in table.rows] == [
        (("Host", "Port", "Owner"), 5),
        (("alpha", "80", "ada"), 6),
    ]


def test_tables_in_lists_and_quotations_are_read_without_their_marks():
    table = only_table("# A\n\n- Hosts:\n\n  | Host | Port |\n  | --- | --- |\n  | alpha | 80 |\n- End\n")
    assert (table.caption, table.header, table.rows[0].cells) == ("Hosts", ("Host", "Port"), ("alpha", "80"))
    assert (table.rows[0].source, table.rows[0].line) == ("  | alpha | 80 |", 10)
    table = only_table("> Limits hold as follows:\n>\n> | Limit | Value |\n> | --- | --- |\n> | rows | 10 |\n")
    assert (table.caption, table.rows[0].cells) == ("Limits hold as follows", ("rows", "10"))
    listed, below = parse_book(book_of("- Hosts:\n\n  | a |\n  | - |\n  | 1 |\n\n| b |\n| - |\n| 2 |\n")).tables
    assert (listed.caption, below.caption) == ("Hosts", None)


def test_a_row_of_bold_cells_alone_is_bold():
    table = only_table("| a | b |\n| - | - |\n| **Sauce** | |\n| **Sauce** | 1 |\n| 1 | |\n| __x__ | **y** |\n")

    assert [row.bold for row in table.rows] == [True, False, False, True]


def test_a_header_may_have_several_lines_above_its_delimiter_line():
    table = only_table(
        "# A\n\n|  | History of crime |||\n| Level | I | II | III |\n|---|---|---|---|\n| 1 | 0 | 2 | 4 |\n"
    )

    assert table.header == ("Level", "History of crime I", "History of crime II", "History of crime III")
    assert [(row.cells, row.line) for row in table.rows] == [(("1", "0", "2", "4"), 9)]


def test_spans_of_a_thousand_by_a_thousand_are_named_with_their_line_and_the_words_are_kept():
    row = "<tr>" + "<td rowspan=1000 colspan=1000>x</td>" * 80 + "</tr>"

    table = only_table(f"# A\n\n<table>{row * 80}</table>\n")

    assert table.warning.startswith("the table on line 6 has rowspan or colspan for far more cells than it has words")
    assert sum(cell == "x" for cells in (table.header, *(row.cells for row in table.rows)) for cell in cells) == 6400


BOLD_HEAD = "| | |\n|---|---|\n| **Boat** | **Crew** |\n| Skiff | two |\n| Ketch | four |"


def test_a_bold_first_row_heads_a_table_without_a_word_in_its_header():
    table = only_table(BOLD_HEAD)

    assert table.header == ("Boat", "Crew")
    assert [(row.cells, row.line) for row in table.rows] == [(("Skiff", "two"), 7), (("Ketch", "four"), 8)]


@pytest.mark.parametrize(
    "source",
    [
        BOLD_HEAD.replace("| | |", "| Kind | Men |"),
        BOLD_HEAD.replace("**Crew**", "Crew"),
        BOLD_HEAD.replace("**Crew**", ""),
        BOLD_HEAD.replace("Skiff | two", "**Skiff** | **two**"),
    ],
)
def test_a_row_that_is_bold_for_another_reason_stays_a_row(source):
    assert len(only_table(source).rows) == 3


@pytest.mark.parametrize("dashes", ["|---|---|", "| :--- | ---: |"])
def test_rows_below_dashes_alone_are_a_table_without_a_header(dashes: str):
    table = only_table(f"{dashes}\n| Skiff | two |\n| Ketch | four | nets |")

    assert table.header == ("", "", "")
    assert [(row.cells, row.line) for row in table.rows] == [(("Skiff", "two", ""), 5), (("Ketch", "four", "nets"), 6)]


def test_columns_without_words_belong_to_the_heading_beside_them_unless_an_author_numbers_them():
    text = "|Range|Col2|Price|Col4|\n|---|---|---|---|\n|Short|Long|Buy|Rent|\n|10|20|3|1|\n|15|30|4|2|"
    reading = read_table(only_table(text))
    assert reading.columns == ("Range Short", "Range Long", "Price Buy", "Price Rent")
    assert only_table("|Col1|Col2|Sum|\n|---|---|---|\n|1|2|3|\n|4|5|9|").header == ("Col1", "Col2", "Sum")


def table_from_line_1(text):
    (table,) = parse_book(Book("b", "B", (Document("b", "d.md", text),))).tables
    return table


def cells(source):
    table = parse_spaced(source)
    return [row.cells for row in (*table.headers, *table.rows)]


def test_columns_lie_under_the_runs_of_dashes_and_rows_keep_their_lines():
    table = table_from_line_1("""# Boats

The boats are:

  Boat     Crew   Sails
  ------- ------- ----------
  Skiff         2 one *lug*
  Ketch           two

  : Boats for hire
""")

    assert (table.caption, table.header) == ("Boats for hire", ("Boat", "Crew", "Sails"))
    assert [(row.cells, row.line) for row in table.rows] == [(("Skiff", "2", "one lug"), 7), (("Ketch", "", "two"), 8)]


def test_a_blank_line_parts_rows_of_several_lines():
    table = table_from_line_1("""----------------------
Boat          Crew in
              summer
------------ ---------
Skiff of             2
the harbour

Ketch                4
----------------------
""")

    assert table.header == ("Boat", "Crew in summer")
    assert [row.cells for row in table.rows] == [("Skiff of the harbour", "2"), ("Ketch", "4")]
    assert table.rows[0].source == "Skiff of             2\nthe harbour"


def test_a_bold_first_row_heads_a_table_that_has_no_header():
    table = table_from_line_1("""----------- ----------
**Code**    **Meaning**
17          Too deep
18          Too shallow
----------- ----------
""")
    rows = transform_tables([table], Vocabulary.default())

    assert [(row.key, row.columns) for row in rows] == [("17", ("Code", "Meaning")), ("18", ("Code", "Meaning"))]


def test_columns_are_counted_by_width_and_as_a_writer_counts_signs():
    assert cells("Boat   Day Night\n------ --- -----\nSkiff  🟢  no\nEte\u0301   🟢  yes") == [
        ("Boat", "Day", "Night"),
        ("Skiff", "🟢", "no"),
        ("Ete\u0301", "🟢", "yes"),
    ]
    assert cells("Boat   Days Night\n------ ---- -----\n🟢🟢🟢🟢   lows high")[1] == ("🟢🟢🟢🟢", "lows", "high")


def test_words_that_do_not_lie_in_their_columns_are_cut_where_the_gaps_are_or_stay_whole():
    assert cells("Name    Type    Use\n------- ------- ---\nboat_id_of   text    key")[1] == (
        "boat_id_of",
        "text",
        "key",
    )
    assert cells("Name    Type\n------- ----\nlonger-than-its-column 7")[1] == ("", "longer-than-its-column 7")


GRID = """+--------+-------------+-------+
| Code   | Meaning     | Price |
+========+=============+=======+
| 0101   | Horses,     | 20    |
|        | *live*      |       |
+--------+-------------+-------+
| 0102   | Cattle              |
+--------+-------------+-------+"""

LIST = """```{list-table} Frozen things
:header-rows: 1
:widths: 10 20

* - Name
  - Keeps at
* - Ice
  - -4 or
    lower
* - `Peas`
  -
```"""


def test_a_grid_is_a_table_with_the_lines_of_its_rows():
    table = table_from_line_1(f"# A\n\nThe codes are:\n\n{GRID}\n\nend\n")

    assert (table.caption, table.header) == ("The codes are", ("Code", "Meaning", "Price"))
    assert [(row.cells, row.line) for row in table.rows] == [
        (("0101", "Horses, live", "20"), 8),
        (("0102", "Cattle", ""), 11),
    ]
    assert table.rows[0].source == "| 0101   | Horses,     | 20    |\n|        | *live*      |       |"
    assert table.lines == (5, 12)


def test_a_grid_without_a_border_of_equals_signs_has_no_header_and_borders_alone_are_none():
    drawn = parse_grid("+---+---+\n| a | b |\n+---+---+\n| c | d |\n+---+---+")
    assert (drawn.headers, [row.cells for row in drawn.rows]) == ((), [("a", "b"), ("c", "d")])
    assert not is_grid("+---+\n+---+")
    assert not is_grid("+ one\n+ two\n+ three")


def test_a_list_of_lists_is_a_table_unless_it_is_in_a_fence_of_code():
    table = table_from_line_1(f"# A\n\n{LIST}\n")
    assert (table.title, table.header) == ("Frozen things", ("Name", "Keeps at"))
    assert [(row.cells, row.line) for row in table.rows] == [(("Ice", "-4 or lower"), 9), (("Peas", ""), 12)]
    assert table.rows[1].source == "* - `Peas`\n  -"
    assert parse_book(Book("b", "B", (Document("b", "d.md", f"````\n{LIST}\n````\n"),))).tables == ()


@pytest.mark.parametrize("mark", ['"', "”", "''", "〃", "do.", "Ditto", '– " –', ",,"])
def test_a_ditto_mark_says_the_cell_above(mark):
    rows = [("Large letter", "100 g"), (mark, "250 g"), (mark, "500 g")]

    assert without_dittos(rows) == (("Large letter", "100 g"), ("Large letter", "250 g"), ("Large letter", "500 g"))


def test_a_mark_over_which_no_words_stand_is_itself():
    rows = [("33", "!"), ("34", '"'), ("35", "#")]

    assert without_dittos(rows) == tuple(rows)
    assert without_dittos([('"', "7"), ("do.", "8")]) == (('"', "7"), ("do.", "8"))


@pytest.mark.parametrize("cell", ["do", "", "–", "id", "do. not", '"no"'])
def test_other_cells_stay_as_they_are(cell):
    assert without_dittos([("Axe", "1"), (cell, "2")])[1] == (cell, "2")


def test_a_cell_that_is_merged_with_the_one_above_says_it_and_its_mark_is_itself_below_other_signs():
    rows = [("Skiff", "n/a", "2"), ("^^", "^^", "3"), ("Ketch", "^^", "^^")]
    assert without_dittos(rows) == (("Skiff", "n/a", "2"), ("Skiff", "n/a", "3"), ("Ketch", "n/a", "3"))
    assert without_dittos([("and", "&&"), ("xor", "^^")])[1] == ("xor", "^^")


def test_a_pipe_in_code_adds_no_column():
    table = only_table("| Order | Effect |\n|---|---|\n| `sail | row` | moves |\n| `moor` | ends |")
    assert [row.cells for row in table.rows] == [("sail | row", "moves"), ("moor", "ends")]
    table = only_table("| Port | Use |\n| --- |\n| 1 | talk |\n| 2 | `a|b` |\n")
    assert [row.cells for row in table.rows] == [("1", "talk"), ("2", "a|b")]


def test_rows_that_are_wider_than_their_header_keep_their_cells_and_are_warned_of():
    table = only_table("# Pins\n\n| count | pins |\n|---|---|\n| | 1 | 2 |\n| 0 | GPIO | PWM |\n")
    assert table.rows[1].cells == ("0", "GPIO", "PWM")
    assert table.warning.startswith("the table on line 6 has rows of 3 cells below a header of 2")
    assert only_table("# Pins\n\n| count | pins |\n|---|---|\n| 0 | GPIO | |\n").warning == ""
