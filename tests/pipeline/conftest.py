import json
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from evals.fit import weights
from pipeline import cli

WEAPONS = ["dagger", "mace", "long sword", "halberd", "whip", "staff", "crossbow", "sling", "club", "lance"]
ROPES = ["hemp rope", "silk rope", "iron chain", "lantern", "torch", "tinder box", "blanket", "bucket", "spade", "tent"]


def write_lines(path: Path, *records: object) -> None:
    path.write_text("".join(json.dumps(record) + "\n" for record in records))


def table_of(title: str, items: list[str]) -> str:
    rows = [f"| {item} | {7 * position + 3} gp | {position + 2} lb |" for position, item in enumerate(items)]
    return "\n".join([f"# {title}", "", "| Item | Price | Weight |", "|---|---|---|", *rows, ""])


def write_book(folder: Path, name: str, title: str, items: list[str]) -> Path:
    """A book of one table, with a question about every second row; the file of the questions."""
    (folder / name).mkdir(parents=True)
    (folder / name / "01.md").write_text(table_of(title, items))
    questions = [
        {
            "id": f"{name}-{position}",
            "query": f"what is the price of a {item}",
            "book": name,
            "kind": "matrix-lookup",
            "gold": [{"document": "01.md", "row_key": item, "snippet": f"| {item} | {7 * position + 3} gp |"}],
        }
        for position, item in enumerate(items)
        if position % 2 == 0
    ]
    write_lines(folder / f"{name}.open.jsonl", *questions)
    return folder / f"{name}.open.jsonl"


class Ran(NamedTuple):
    """What a command left: its exit status, and what it printed."""

    status: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        return json.loads(self.out)


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Callable[..., Ran]:
    """`querymust` with these arguments, in this process."""

    def runner(*arguments: object) -> Ran:
        monkeypatch.setattr(sys, "argv", ["querymust", *map(str, arguments)])
        capsys.readouterr()
        try:
            cli.main()
            status = 0
        except SystemExit as stop:
            status = int(stop.code or 0)
        return Ran(status, *capsys.readouterr())

    return runner


@pytest.fixture(scope="module")
def small_sets(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A set of one book, and one of tables; a small book stands in for the sample."""
    root = tmp_path_factory.mktemp("sets")
    write_book(root / "data" / "armoury", "arms", "Weapons", WEAPONS)
    questions = write_book(root / "sample", "camp", "Camp gear", ROPES)
    (root / "data" / "wikisql-rows").mkdir()
    write_lines(
        root / "data" / "wikisql-rows" / "open.tables.jsonl",
        {"table_id": "t", "markdown": table_of("Tools", [f"tool {number}" for number in range(12)])},
    )
    write_lines(
        root / "data" / "wikisql-rows" / "open.queries.jsonl",
        *(
            {"id": f"w{n}", "query": f"weight of tool {n}", "table_id": "t", "gold_rows": [n], "conds": [{}]}
            for n in range(12)
        ),
    )
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(weights, "SAMPLE_LIBRARY", root / "sample")
        patch.setattr(weights, "SAMPLE_QUESTIONS", questions)
        patch.setattr(weights, "SHELF", root / "no shelf")
        yield root / "data"


@pytest.fixture(scope="session")
def lightgbm() -> None:
    """A skip where LightGBM cannot be loaded."""
    try:
        import lightgbm  # noqa: F401
    except (ImportError, OSError) as error:
        pytest.skip(f"LightGBM cannot be loaded: {error}")
