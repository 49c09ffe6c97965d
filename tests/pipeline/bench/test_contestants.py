import pytest

from evals.benchmarks.fts5 import REFERENCE
from pipeline.bench import contestants as module
from pipeline.bench.contestants import contestants
from retrieval.errors import UnknownNameError
from retrieval.search.strategies import STRATEGIES


def test_all_are_what_a_build_scores_and_the_reference() -> None:
    assert contestants([]) == (*STRATEGIES.values(), REFERENCE)


def test_the_reference_is_left_out_where_sqlite_cannot_have_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "why_missing", lambda: "SQLite has no FTS5")
    assert contestants([]) == tuple(STRATEGIES.values())


def test_names_are_taken_once_in_their_order() -> None:
    assert [each.name for each in contestants(["fts5", "dense", "fts5", "bm25"])] == ["fts5", "dense", "bm25"]


def test_an_unknown_name_lists_the_reference_too() -> None:
    with pytest.raises(UnknownNameError, match=r"no strategy is called 'best'.*fts5"):
        contestants(["best"])
