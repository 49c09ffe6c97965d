"""What a search with the filter off says of each hit."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from retrieval.home import Home
from retrieval.index.embedding import minilm_model
from retrieval.rag import row_reader
from retrieval.rag.live import LiveIndex
from retrieval.search.strategies import STRATEGIES
from retrieval.serve import service
from retrieval.serve.service import ABOUT, section_text
from tests.retrieval.serve.conftest import served

if TYPE_CHECKING:
    from pathlib import Path

    import httpx


LOOK_UP = "What does a 7th level cleric need to roll to hit AC 6?"


def hits(client: httpx.Client, strategy: str, k: int, *, filtered: bool) -> list[dict[str, Any]]:
    query = {"query": LOOK_UP, "strategy": strategy, "k": k, "query_must": filtered}
    hits: list[dict[str, Any]] = client.post("/v1/retrieve", json=query).json()["hits"]
    return hits


@pytest.mark.parametrize("strategy", ["default", "prefilter", "iterative"])
def test_a_hit_has_a_reason_exactly_where_the_filter_keeps_it_out(client: httpx.Client, strategy: str) -> None:
    off = hits(client, strategy, 15, filtered=False)
    query = {"query": LOOK_UP, "strategy": strategy}
    explained = [client.post("/v1/explain", json=query | {"chunk_id": hit["id"]}).json() for hit in off]
    assert [hit["kept_out"] for hit in off] == [each["in_words"] or None for each in explained]
    assert [bool(hit["kept_out"]) for hit in off] == [each["excluded"] for each in explained]
    assert any(hit["kept_out"] for hit in off)


def test_a_reason_does_not_depend_on_how_many_hits_are_asked_for(client: httpx.Client) -> None:
    many = {hit["id"]: hit["kept_out"] for hit in hits(client, "default", 50, filtered=False)}
    assert all(hit["kept_out"] == many[hit["id"]] for hit in hits(client, "default", 5, filtered=False))
    shown = {hit["id"] for hit in hits(client, "default", 50, filtered=True)}
    assert not shown & {id_ for id_, reason in many.items() if reason}


def test_nothing_is_kept_out_without_a_filter_and_nothing_said_of_hits_that_passed_it(client: httpx.Client) -> None:
    assert {hit["kept_out"] for hit in hits(client, "bm25", 15, filtered=False)} == {None}
    assert {hit["kept_out"] for hit in hits(client, "default", 15, filtered=True)} == {None}


def test_a_section_is_what_stands_under_the_headings_of_a_chunk(sample: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    live = LiveIndex(sample)
    snapshot = live.reader().retriever.snapshot
    rows = (chunk for chunk in snapshot.chunks if chunk.row_key == "6")
    row = next(chunk for chunk in rows if "Attack Matrix for Clerics" in chunk.heading_path[-1])
    text = section_text(snapshot, row)
    assert row.source in text
    assert "Fighters, Paladins" not in text
    above = section_text(snapshot, replace(row, heading_path=row.heading_path[:-1]))
    assert "Fighters, Paladins" in above
    assert text.index(f"| {' | '.join(row.columns)} |\n") < text.index(row.source)
    assert text.count(f"| {' | '.join(row.columns)} |\n") == 1
    monkeypatch.setattr(service, "LONGEST", 100)
    assert section_text(snapshot, row).endswith("[cut at 100 characters]")
    live.close()


def test_each_strategy_has_one_sentence_that_says_whether_it_filters() -> None:
    assert set(ABOUT) == set(STRATEGIES)
    assert all(each.endswith(".") and each.count(".") == 1 for each in ABOUT.values())
    assert {name for name, output in ABOUT.items() if "without a filter" in output} == {
        name for name, each in STRATEGIES.items() if each.query_must == "off"
    }


def test_models_are_loaded_before_the_first_question(sample: Home) -> None:
    for cached in (minilm_model._session, minilm_model._kept_vector, row_reader._scores):
        cached.cache_clear()
    with served(sample.root) as client:
        loaded = minilm_model._session.cache_info().misses
        assert loaded
        assert hits(client, "default", 5, filtered=True)
        assert client.post("/v1/query", json={"query": LOOK_UP, "how": "read"}).status_code == 200
        assert minilm_model._session.cache_info().misses == loaded


def test_a_server_starts_over_a_home_with_nothing_to_warm_up(tmp_path: Path) -> None:
    with served(tmp_path) as client:
        assert client.get("/healthz").status_code == 503


def test_nothing_is_warmed_up_where_each_search_pays_a_model(sample: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    searched: list[str] = []
    monkeypatch.setattr(service, "_searched", lambda *_, **__: searched.append("paid"))
    with served(sample.root, strategy="default+chat") as client:
        assert client.get("/healthz").status_code == 200
    assert not searched
