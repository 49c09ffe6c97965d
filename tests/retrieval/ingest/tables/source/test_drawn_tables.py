from retrieval.ingest.parsed_book import parse_book
from retrieval.ingest.tables.source.drawn_tables import is_grid, parse_grid
from retrieval.types import Book, Document

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


def only_table(text):
    (table,) = parse_book(Book("b", "B", (Document("b", "d.md", text),))).tables
    return table


def test_a_grid_is_a_table_with_the_lines_of_its_rows():
    table = only_table(f"# A\n\nThe codes are:\n\n{GRID}\n\nend\n")

    assert (table.caption, table.header) == ("The codes are", ("Code", "Meaning", "Price"))
    assert [(row.cells, row.line) for row in table.rows] == [
        (("0101", "Horses, live", "20"), 8),
        (("0102", "Cattle", ""), 11),
    ]
    assert table.rows[0].source == "| 0101   | Horses,     | 20    |\n|        | *live*      |       |"
    assert table.lines == (5, 12)


def test_a_grid_without_a_border_of_equals_signs_has_no_header():
    drawn = parse_grid("+---+---+\n| a | b |\n+---+---+\n| c | d |\n+---+---+")

    assert (drawn.headers, [row.cells for row in drawn.rows]) == ((), [("a", "b"), ("c", "d")])


def test_two_borders_without_a_line_between_them_are_no_grid():
    assert not is_grid("+---+\n+---+")
    assert not is_grid("+ one\n+ two\n+ three")


def test_a_list_of_lists_is_a_table():
    table = only_table(f"# A\n\n{LIST}\n")

    assert (table.title, table.header) == ("Frozen things", ("Name", "Keeps at"))
    assert [(row.cells, row.line) for row in table.rows] == [(("Ice", "-4 or lower"), 9), (("Peas", ""), 12)]
    assert table.rows[1].source == "* - `Peas`\n  -"


def test_a_directive_in_a_fence_of_code_is_code():
    assert parse_book(Book("b", "B", (Document("b", "d.md", f"````\n{LIST}\n````\n"),))).tables == ()
