import pytest

from retrieval.ingest.html_tables import parse_html_table


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


def test_without_heading_cells_the_first_row_is_the_heading():
    table = parse_html_table("<table><tr><td>A<td>B<tr><td>1<td>2 &amp; 3</table>")

    assert (table.header, table.rows) == (("A", "B"), (("1", "2 & 3"),))


def test_a_table_without_cells_is_none():
    assert parse_html_table("<table></table>") is None


@pytest.mark.parametrize("span", ["²", "0", "-1", "two", ""])
def test_a_span_that_is_no_number_is_one(span: str) -> None:
    table = parse_html_table(f"<table><tr><th colspan='{span}'>A</th></tr><tr><td>1</td></tr></table>")
    assert table is not None
    assert table.header == ("A",)


def test_an_absurd_span_does_not_fill_the_memory():
    table = parse_html_table("<table><tr><th colspan=99999999>A</th></tr><tr><td>1</td></tr></table>")

    assert len(table.header) == 1000


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

    assert table is not None
    assert table.rows == (("Range 30 Duration 5 rounds",),)


def test_a_table_in_a_cell_is_words_of_the_cell():
    table = parse_html_table(
        "<table><tr><th>a<th>b<tr><td><table><tr><td>1</td><td>2</td></tr></table></td><td>3</td></tr></table>"
    )

    assert table.rows == (("1 2", "3"),)


def test_words_in_a_table_and_in_no_cell_are_a_line_of_their_own():
    table = parse_html_table("<table><tr><th>a<th>b</tr><tr><td>1</td><td>2</td></tr>Rare\n<tr><td>3<td>4</table>")

    assert table.rows == (("1", "2"), ("Rare", ""), ("3", "4"))
