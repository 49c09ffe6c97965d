from pathlib import Path

import pytest

from tests.conftest import write_lines

BOOK = """# Harbour of Saltmere

## Berths

| Berth | Draught | Fee |
|---|---|---|
| 1 | 2 m | 1,010 |
| 2 | 4 m | 1,020 |
| 3 | 6 m | 1,030 |

## Pilots

Every ship of more than 40 m takes a pilot, who boards at the outer buoy.

| Length | Pilots |
|---|---|
| up to 40 m | none |
| up to 90 m | one |
"""


@pytest.fixture
def books(tmp_path: Path) -> Path:
    """A folder of one book with two tables, and four questions."""
    folder = tmp_path / "harbours"
    (folder / "saltmere").mkdir(parents=True)
    (folder / "saltmere" / "fees.md").write_text(BOOK, "utf-8")
    row = {"document": "fees.md", "line": 8, "snippet": "| 2 | 4 m | 1,020 |", "row_key": "2"}
    other = {"document": "fees.md", "line": 9, "snippet": "| 3 | 6 m | 1,030 |", "row_key": "3"}
    prose = {"document": "fees.md", "line": 13, "snippet": "Every ship of more than 40 m takes a pilot, who bo"}
    write_lines(
        folder / "saltmere.open.jsonl",
        {"id": "row", "query": "What is the fee of berth 2?", "book": "saltmere", "answer": "1,020", "gold": [row]},
        {"id": "two", "query": "Fees of berths 2 and 3", "book": "saltmere", "answer": "1,020", "gold": [row, other]},
        {"id": "prose", "query": "Which ship takes a pilot?", "book": "saltmere", "answer": "40 m", "gold": [prose]},
        {"id": "none", "query": "How do I cook pasta?", "book": "saltmere", "gold": []},
    )
    return folder
