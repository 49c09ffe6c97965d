import re

import pytest

from retrieval.ingest.markdown.html_tables import TableScan, parse_html_table, table_spans


def test_spanned_cells_are_repeated_and_stacked_headings_joined():
    table = parse_html_table(
        "<table><caption>Doors</caption>"
        "<tr><th rowspan=2>Type</th><th colspan=2>Break DC</th></tr>"
        "<tr><th>Stuck</th><th>Locked</th></tr>\n"
        "<tr><td>Stone</td><td colspan='2'>28</td></tr></table>"
    )

    assert table.caption == "Doors"
    assert table.header == ("Type", "Break DC Stuck", "Break DC Locked")
    assert table.rows == (("Stone", "28", "28"),)
    assert table.lines == (1,)


def test_without_heading_cells_the_first_row_is_the_heading_and_without_cells_there_is_no_table():
    table = parse_html_table("<table><tr><td>A<td>B<tr><td>1<td>2 &amp; 3</table>")
    assert (table.header, table.rows) == (("A", "B"), (("1", "2 & 3"),))
    assert parse_html_table("<table></table>") is None


@pytest.mark.parametrize("span", ["²", "0", "-1", "two", ""])
def test_a_span_that_is_no_number_is_one(span: str) -> None:
    table = parse_html_table(f"<table><tr><th colspan='{span}'>A</th></tr><tr><td>1</td></tr></table>")
    assert table.header == ("A",)


@pytest.mark.parametrize(
    "cell",
    [
        "Range 30<br>Duration 5 rounds",
        "<p>Range 30</p><p>Duration 5 rounds</p>",
        "Range 30<div>Duration 5 rounds",
        "<ul><li>Range 30<li>Duration <b>5</b> rounds</ul>",
    ],
)
def test_lines_of_a_cell_are_not_glued(cell: str) -> None:
    table = parse_html_table(f"<table><tr><th>Spell<tr><td>{cell}</td></tr></table>")

    assert table.rows == (("Range 30 Duration 5 rounds",),)


def test_words_outside_cells_and_tables_within_them_are_kept():
    table = parse_html_table(
        "<table><tr><th>a<th>b<tr><td><table><tr><td>1</td><td>2</td></tr></table></td><td>3</td></tr></table>"
    )
    assert table.rows == (("1 2", "3"),)
    table = parse_html_table("<table><tr><th>a<th>b</tr><tr><td>1</td><td>2</td></tr>Rare\n<tr><td>3<td>4</table>")
    assert table.rows == (("1", "2"), ("Rare", ""), ("3", "4"))


def test_an_absurd_span_does_not_fill_the_memory():
    table = parse_html_table("<table><tr><th colspan=99999999>A</th></tr><tr><td>1</td></tr></table>")
    assert len(table.header) == 1000
    table = parse_html_table(f"<table><tr><th colspan={'9' * 5000}>A</th></tr><tr><td>1</td></tr></table>")
    assert len(table.header) == 1000


def test_spans_of_far_more_cells_than_are_written_count_as_one_each():
    row = "<tr>" + "<td rowspan=1000 colspan=1000>x</td>" * 80 + "</tr>"
    table = parse_html_table(f"<table>{row * 80}</table>")
    assert table.unspanned
    assert (len(table.header), len(table.rows)) == (80, 79)
    table = parse_html_table(
        "<table><tr>" + "<td colspan=1000>x</td>" * 80 + "</tr>" + "<tr><td>y</td></tr>" * 80 + "</table>"
    )
    assert table.unspanned
    assert len(table.header) == 80


def test_a_large_table_of_ordinary_spans_is_drawn_as_it_is():
    rows = "<tr><th rowspan=3>a</th><td>1</td><td colspan=2>2</td></tr>" + "<tr><td>1</td><td colspan=2>2</td></tr>" * 2

    table = parse_html_table(f"<table>{rows * 9_000}</table>")

    assert not table.unspanned
    assert {len(row) for row in table.rows} == {4}


HEADS = "<tr><th>Boat</th><th>Crew</th></tr>"
BOATS = "<tr><td>Skiff</td><td>2</td></tr>"


def test_a_heading_over_all_columns_heads_rows_and_no_column():
    table = parse_html_table(
        f"<table>\n<tr><th colspan=2>Small</th></tr>\n{BOATS}\n<tr><th colspan=2>Large</th></tr></table>"
    )

    assert (table.header, table.caption) == (("", ""), None)
    assert table.rows == (("Small", ""), ("Skiff", "2"), ("Large", ""))
    assert table.lines == (1, 2, 3)


def test_a_heading_over_headings_is_the_caption_unless_there_is_one():
    table = parse_html_table(f"<table><tr><th colspan=2>Boats</th></tr>\n{HEADS}\n{BOATS}</table>")
    assert (table.caption, table.header, table.rows) == ("Boats", ("Boat", "Crew"), (("Skiff", "2"),))
    table = parse_html_table(f"<table><caption>Fleet</caption><tr><th colspan=2>Boats</th></tr>{HEADS}{BOATS}</table>")
    assert (table.caption, table.header) == ("Fleet", ("Boats Boat", "Boats Crew"))


def test_a_cell_over_all_columns_above_pairs_is_the_caption():
    table = parse_html_table(f"<table><tr><td colspan=2>Small</td></tr>{BOATS}{BOATS}</table>")

    assert (table.caption, table.header, table.rows) == ("Small", ("", ""), (("Skiff", "2"), ("Skiff", "2")))


def test_the_row_below_groups_of_columns_names_the_columns_unless_it_holds_numbers():
    groups = "<tr><td rowspan=2>Boat</td><td colspan=2>Crew</td></tr><tr><td>Summer</td><td>Winter</td></tr>"
    table = parse_html_table(f"<table>{groups}<tr><td>Skiff</td><td>2</td><td>1</td></tr></table>")
    assert (table.header, table.rows) == (("Boat", "Crew Summer", "Crew Winter"), (("Skiff", "2", "1"),))
    rows = "".join(f"<tr><td>{boat}</td><td>2</td><td>1</td></tr>" for boat in ("Skiff", "Ketch"))
    table = parse_html_table(f"<table><tr><td>Boat</td><td colspan=2>Crew</td></tr>{rows}</table>")
    assert (table.header, len(table.rows)) == (("Boat", "Crew", "Crew"), 2)


ROWS = "<table><tr><td>a</td></tr>"


def find_tables(markup: str) -> list[str]:
    return [markup[span.start : span.end] for span in table_spans(markup)]


@pytest.mark.parametrize(
    ("markup", "expected"),
    [
        ("no table", []),
        (f"x {ROWS}</table> y", [f"{ROWS}</table>"]),
        (f"{ROWS} y", [ROWS]),
        ("<table> y", ["<table> y"]),
        ("<table><tr><td>a y", ["<table><tr><td>a y"]),
        (f"{ROWS} y {ROWS}</table>", [ROWS, f"{ROWS}</table>"]),
        (f"<table><tr><td>{ROWS}</table></td></table> y", [f"<table><tr><td>{ROWS}</table></td></table>"]),
        (f"<!-- <table> -->{ROWS}<!-- </table> --></table>", [f"{ROWS}<!-- </table> --></table>"]),
        (f"<!-- {ROWS}</table>", [f"{ROWS}</table>"]),
        ("</table> </table>", []),
    ],
)
def test_where_tables_begin_and_end(markup, expected):
    assert find_tables(markup) == expected


@pytest.mark.parametrize(
    "markup",
    [
        f"a {ROWS}</table> b <!-- <table> c </table> --> {ROWS} d",
        f"<!-- {ROWS} <!-- </table> {ROWS} --> {ROWS}</table>",
        f"{ROWS}<tr><td>{ROWS}</table> <!-- </td></tr></table> ",
    ],
)
def test_a_text_in_pieces_has_the_tables_of_the_whole_text(markup):
    scan = TableScan()
    for piece in re.split(r"(?= )", markup):
        scan.feed(piece)

    assert scan.spans() == table_spans(markup)
