from dataclasses import replace
from pathlib import Path

import pytest

from retrieval.files.records import dump_record, parse_record
from retrieval.index.embedding.embedders import load_embedder
from tests.conftest import write_lines
from tools.bench.siblings import SiblingsReport, run_siblings
from tools.corpora.books import BenchmarkDataError

BOOK = """# Arms

## Weapons

| Weapon | Cost | Weight |
|---|---|---|
| Glaive | 7 gp | 75 |
| Mace | 8 gp | 100 |
| Sling | 1 gp | 5 |

A mace breaks no bones of the dead.
"""


@pytest.fixture
def data(tmp_path: Path) -> Path:
    folder = tmp_path / "data" / "shelf"
    (folder / "arms").mkdir(parents=True)
    (folder / "arms" / "weapons.md").write_text(BOOK)
    mace = [{"document": "weapons.md", "snippet": "| Mace | 8 gp | 100 |"}]
    bones = [{"document": "weapons.md", "snippet": "A mace breaks no bones of the dead."}]
    write_lines(
        folder / "arms.open.jsonl",
        {"id": "key", "query": "what does a mace cost", "kind": "matrix-lookup", "gold": mace},
        {"id": "no-key", "query": "which costs 8 gp", "kind": "matrix-lookup", "gold": mace},
        {"id": "rule", "query": "does it break bones", "kind": "rule", "gold": bones},
    )
    return tmp_path / "data"


def test_siblings_are_those_of_the_one_row_that_answers(data: Path, tmp_path: Path) -> None:
    report = run_siblings(tmp_path / "home", data, "open", load_embedder())
    arms, everything = report.books

    assert everything == replace(arms, book="all")
    assert (arms.n_gold, arms.n_refused, arms.look_ups, arms.with_key) == (3, 0, 2, 1)
    assert arms.siblings[0] == 2.0 > arms.siblings[-1]
    assert arms.recall == (1.0, 1.0, 1.0)
    assert arms.key_excluded == arms.key_away == 1.0
    assert parse_record(dump_record(report), SiblingsReport) == report
    head, _, *rows = report.lines()
    assert [row.count("|") for row in rows] == [head.count("|")] * 2


def test_a_folder_without_questions_of_the_split_is_told(data: Path, tmp_path: Path) -> None:
    with pytest.raises(BenchmarkDataError):
        run_siblings(tmp_path / "home", data, "hidden", load_embedder())
