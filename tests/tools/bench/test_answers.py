from pathlib import Path

import pytest

from retrieval.files.records import dump_record, parse_record
from retrieval.index.embedding.embedders import load_embedder
from tests.conftest import write_lines
from tools.bench.answers import AnswersReport, run_answers
from tools.corpora.books import BenchmarkDataError

BOOK = """# Arms

## Weapons

| Weapon | Cost | Weight |
|---|---|---|
| Glaive | 7 gp | 75 |
| Mace | 8 gp | 100 |
| Sling | 1 gp | 5 |
"""


def test_a_book_is_asked_and_the_report_is_a_table(tmp_path: Path) -> None:
    folder = tmp_path / "data" / "shelf"
    (folder / "arms").mkdir(parents=True)
    (folder / "arms" / "weapons.md").write_text(BOOK)
    gold = [{"document": "weapons.md", "snippet": "| Mace | 8 gp | 100 |"}]
    look_up = {"id": "a", "query": "what does a mace cost", "kind": "matrix-lookup", "answer": "8 gp", "gold": gold}
    write_lines(folder / "arms.open.jsonl", look_up)
    report = run_answers(tmp_path / "home", tmp_path / "data", "open", load_embedder())
    (book,) = report.books
    (score,) = book.scores
    assert (book.book, score.kind, score.n, score.wrong) == ("arms", "matrix-lookup", 1, 0)
    assert parse_record(dump_record(report), AnswersReport) == report
    head, _, *rows = report.lines()
    assert [row.count("|") for row in rows] == [head.count("|")] * 2


def test_a_folder_without_such_books_is_told(tmp_path: Path) -> None:
    folder = tmp_path / "data" / "shelf"
    (folder / "arms").mkdir(parents=True)
    (folder / "arms" / "weapons.md").write_text(BOOK)
    write_lines(folder / "arms.open.jsonl", {"id": "a", "query": "q", "gold": []})
    with pytest.raises(BenchmarkDataError):
        run_answers(tmp_path / "home", tmp_path / "data", "hidden", load_embedder())
