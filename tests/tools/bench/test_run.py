import json
from pathlib import Path

import pytest

from retrieval.errors import UnknownNameError
from retrieval.index.embedding.embedders import load_embedder
from retrieval.search.strategies import STRATEGIES
from tools.bench import run as module
from tools.bench.run import contestants, run_benchmark
from tools.corpora.fts5 import REFERENCE
from tools.corpora.sets import read_benchmark

EMBEDDER = load_embedder()
BM25 = [STRATEGIES["bm25"]]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    rows = [f"| tool {number} | {number * 7} |" for number in range(30)]
    markdown = "\n".join(["# Tools", "", "| tool | price |", "|---|---|", *rows])
    queries = [
        {"id": f"q{number}", "query": f"price of tool {number}", "table_id": "t", "gold_rows": [number], "conds": [{}]}
        for number in range(30)
    ]
    root = tmp_path / "rows"
    root.mkdir()
    (root / "open.tables.jsonl").write_text(json.dumps({"table_id": "t", "markdown": markdown}) + "\n")
    (root / "open.queries.jsonl").write_text("".join(json.dumps(query) + "\n" for query in queries))
    return root


def test_an_interrupted_run_goes_on_where_it_was(folder: Path, tmp_path: Path) -> None:
    corpora = read_benchmark("wikisql-rows", folder, "open")

    def interrupt(doing: str, done: int, total: int) -> None:
        if "bm25" in doing and done == 12:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run_benchmark(tmp_path / "home", "wikisql-rows", "open", corpora, BM25, EMBEDDER, interrupt)
    (part,) = (tmp_path / "home" / "evaluations").rglob(".*.parquet")
    query: list[tuple[str, int]] = []
    run = run_benchmark(
        tmp_path / "home",
        "wikisql-rows",
        "open",
        corpora,
        BM25,
        EMBEDDER,
        lambda doing, done, _: query.append((doing, done)),
    )
    assert min(done for doing, done in query if ", wikisql-rows, bm25" in doing) == 12
    assert [row.question_id for row in run.rows if row.set == "wikisql-rows"] == [f"q{number}" for number in range(30)]
    assert not part.exists()


def test_a_run_says_what_was_searched(folder: Path, tmp_path: Path) -> None:
    corpora = read_benchmark("wikisql-rows", folder, "open")
    run = run_benchmark(tmp_path / "home", "wikisql-rows", "open", corpora, BM25, EMBEDDER)
    (note,) = run.indexes
    assert (note.corpus, note.n_chunks, note.n_guarded) == ("wikisql-rows.open", 30, 30)
    assert (tmp_path / "home" / "snapshots" / note.snapshot).is_dir()
    assert run.unscored == ()
    assert {aggregate.metric for aggregate in run.aggregates} >= {"hit@1", "mrr", "evaluability", "p50_ms"}


def test_all_are_what_a_build_scores_and_the_reference() -> None:
    assert contestants([]) == (*STRATEGIES.values(), REFERENCE)


def test_the_reference_is_left_out_where_sqlite_cannot_have_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "why_missing", lambda: "SQLite has no FTS5")
    assert contestants([]) == tuple(STRATEGIES.values())


def test_names_are_taken_once_in_their_order() -> None:
    assert [contestant.name for contestant in contestants(["fts5", "dense", "fts5", "bm25"])] == [
        "fts5",
        "dense",
        "bm25",
    ]


def test_an_unknown_name_lists_the_reference_too() -> None:
    with pytest.raises(UnknownNameError, match=r"no strategy is called 'best'.*fts5"):
        contestants(["best"])
