import re

import pytest

from retrieval.ingest.html_spans import TableScan, table_spans

ROWS = "<table><tr><td>a</td></tr>"


def found(markup: str) -> list[tuple[str, bool]]:
    return [(markup[span.start : span.end], span.closed) for span in table_spans(markup)]


@pytest.mark.parametrize(
    ("markup", "expected"),
    [
        ("no table", []),
        (f"x {ROWS}</table> y", [(f"{ROWS}</table>", True)]),
        (f"{ROWS} y", [(ROWS, False)]),
        ("<table> y", [("<table> y", False)]),
        ("<table><tr><td>a y", [("<table><tr><td>a y", False)]),
        (f"{ROWS} y {ROWS}</table>", [(ROWS, False), (f"{ROWS}</table>", True)]),
        (f"<table><tr><td>{ROWS}</table></td></table> y", [(f"<table><tr><td>{ROWS}</table></td></table>", True)]),
        (f"<!-- <table> -->{ROWS}<!-- </table> --></table>", [(f"{ROWS}<!-- </table> --></table>", True)]),
        (f"<!-- {ROWS}</table>", [(f"{ROWS}</table>", True)]),
        ("</table> </table>", []),
    ],
)
def test_where_tables_begin_and_end(markup, expected):
    assert found(markup) == expected


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
