"""SQLite's full-text search over rows and paragraphs, with a weight for each field."""

import sqlite3
from collections.abc import Sequence
from pathlib import Path

from retrieval.types import Embedder
from tools.benchmark.cutting import units_of
from tools.benchmark.system import Passage, markdown_files
from tools.corpora.fts5 import match_expression

_WEIGHTS = "3.0, 2.0, 1.0"
"""Of headings and caption, column names, and the row or paragraph: set once by hand."""
_RANKED = f"SELECT shown FROM units WHERE units MATCH ? ORDER BY bm25(units, {_WEIGHTS}, 0.0), rowid LIMIT ?"  # noqa: S608


class Fts5:
    """One virtual table, one row for each table row and each paragraph."""

    name = "fts5"
    about = "Full-text search in SQLite, which every Python has."
    setup = (
        "Our own 60 lines cut a book into rows and paragraphs (`tools/benchmark/cutting.py`). Tokenizer "
        "`porter unicode61`; `bm25()` with weight 3 for headings and caption, 2 for column names and 1 for the row or "
        "paragraph. The words of the question without stop words, joined with OR. A row is shown with its heading, "
        "caption and column names."
    )
    packages: tuple[str, ...] = ()

    def index(self, book: Path, folder: Path, embedder: Embedder) -> None:  # noqa: ARG002 -- it has no vectors
        """Cut and insert."""
        self._database = sqlite3.connect(folder / "fts5.sqlite")
        self._database.execute(
            "CREATE VIRTUAL TABLE units USING fts5(heads, header, text, shown UNINDEXED, tokenize = 'porter unicode61')"
        )
        units = (unit for _, text in markdown_files(book) for unit in units_of(text))
        rows = ((" ".join((*unit.headings, unit.caption)), unit.header, unit.text, unit.shown) for unit in units)
        self._database.executemany("INSERT INTO units VALUES (?, ?, ?, ?)", rows)
        self._database.commit()

    def search(self, question: str, k: int) -> Sequence[Passage]:
        """The rows that contain any word of the question."""
        match = match_expression(question)
        return [Passage(shown) for (shown,) in self._database.execute(_RANKED, (match, k))] if match else []
