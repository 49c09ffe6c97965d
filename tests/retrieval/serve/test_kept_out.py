"""What a search with the filter off says of each hit."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    import httpx

LOOK_UP = "What does a 7th level cleric need to roll to hit AC 6?"


def hits(client: httpx.Client, strategy: str, k: int, *, filtered: bool) -> list[dict[str, Any]]:
    asked = {"query": LOOK_UP, "strategy": strategy, "k": k, "query_must": filtered}
    found: list[dict[str, Any]] = client.post("/v1/retrieve", json=asked).json()["hits"]
    return found


@pytest.mark.parametrize("strategy", ["default", "prefilter", "iterative"])
def test_a_hit_has_a_reason_exactly_where_the_filter_keeps_it_out(client: httpx.Client, strategy: str) -> None:
    off = hits(client, strategy, 15, filtered=False)
    asked = {"query": LOOK_UP, "strategy": strategy}
    explained = [client.post("/v1/explain", json=asked | {"chunk_id": hit["id"]}).json() for hit in off]
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
