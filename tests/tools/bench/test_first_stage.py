from contextlib import closing

import pytest

from pipeline.runs.build import build
from retrieval.errors import IndexMissingError
from retrieval.home import Home
from retrieval.index.milvus import MilvusServer, MilvusStore
from retrieval.index.snapshot.live import live_id
from tests.milvus import records_of
from tools.bench.first_stage import STRATEGIES, compare_stages

QUESTIONS = ["What does a mace cost?", "How long is a dagger drawn?", "Which weapon does 1d8?"]


def nobody(_doing: str, _done: int, _total: int) -> None:
    """Nobody is told how far it is."""


def test_a_home_without_a_store_has_nothing_to_compare_with(tiny_built: Home) -> None:
    with pytest.raises(IndexMissingError, match="name no store to compare with; set `store: milvus"):
        compare_stages(tiny_built.root, QUESTIONS, nobody)


def test_a_build_fills_the_store_and_both_stages_give_the_same(
    tiny: Home, milvus_server: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("QUERYMUST_STORE", f"{milvus_server}/bench")
    assert build(Home.at(tiny.root)).problems == []
    report = compare_stages(tiny.root, QUESTIONS, nobody)
    assert [agreement.strategy for agreement in report.agreements] == list(STRATEGIES)
    assert {(agreement.n_questions, agreement.same_first, agreement.same_hits) for agreement in report.agreements} == {
        (3, 1.0, 1.0)
    }
    assert all(agreement.p50_embedded > 0 and agreement.p50_store > 0 for agreement in report.agreements)
    assert len(report.lines()) == 2 + len(STRATEGIES)
    server = MilvusServer.of(f"{milvus_server}/bench", str(live_id(tiny.root)))
    assert server is not None
    with closing(MilvusStore(server)) as store:
        assert store.live() == server.collection
    assert {record["guarded"] for record in records_of(server, range(4)).values()} == {False}
