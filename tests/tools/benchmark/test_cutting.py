from tests.tools.benchmark.conftest import BOOK
from tools.benchmark.cutting import units_of
from tools.benchmark.systems.chroma import chunks_of


def test_a_row_keeps_what_stands_above_it() -> None:
    units = list(units_of(BOOK))
    assert [unit.text for unit in units if unit.header][:2] == ["| 1 | 2 m | 1,010 |", "| 2 | 4 m | 1,020 |"]
    pilots = units[-1]
    assert pilots.headings == ("Harbour of Saltmere", "Pilots")
    assert pilots.caption.startswith("Every ship")
    assert pilots.shown.split("\n")[0::2] == ["Pilots", "| Length | Pilots |"]


def test_every_paragraph_and_row_of_html_is_a_unit() -> None:
    html = "<table>\n<tr><th>A</th></tr>\n<tr><td>1</td></tr>\n</table>\n\nOne.\n\nTwo."
    assert [(unit.header, unit.text) for unit in units_of(html)] == [
        ("<tr><th>A</th></tr>", "<tr><td>1</td></tr>"),
        ("", "One."),
        ("", "Two."),
    ]


def test_chunks_are_whole_blocks_and_long_tables_are_cut_between_lines() -> None:
    rows = [f"| {number} | {'x' * 90} |" for number in range(30)]
    chunks = list(chunks_of("One.\n\nTwo.\n\n" + "\n".join(rows)))
    assert "".join(chunks).count("|") == 90
    assert all(len(chunk) <= 1_000 for chunk in chunks)
    assert chunks[0].startswith("One.\n\nTwo.\n\n| 0 |")
    assert all(line in rows for chunk in chunks[1:] for line in chunk.split("\n"))
