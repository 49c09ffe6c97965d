from dataclasses import replace

import pytest

from retrieval.errors import InvalidQueryError
from retrieval.types import Hit
from retrieval.understand.hints import HintConfig, category_of, rerank_by_categories
from tests.chunks import EMPTY


def hits(*given):
    return [
        Hit(replace(EMPTY, id=name, metadata={"category": category} if category else {}), score, rank)
        for rank, (name, category, score) in enumerate(given, start=1)
    ]


GIVEN = hits(("a", "Bill", 0.2), ("b", "Pleading", 0.1), ("c", None, 0.0), ("d", "Pleading", -5.0))


def test_hinted_categories_are_raised_and_nothing_is_excluded():
    rerank = rerank_by_categories(GIVEN, ["Pleading"], {})
    assert [each.hit.chunk.id for each in rerank] == ["b", "a", "c", "d"]
    first = rerank[0]
    assert (first.category, first.category_boost) == ("Pleading", 1.2)
    assert first.adjusted_relevance == pytest.approx(first.original_relevance * 1.2)


def test_weights_multiply_with_the_boost_and_their_own_multiplier():
    config = HintConfig(category_weight_multiplier=0.5)
    rerank = rerank_by_categories(GIVEN, ["Pleading"], {"Pleading": 3.0, "Bill": 2.0}, config)
    assert {each.hit.chunk.id: each.category_boost for each in rerank} == {
        "a": 1.0, "b": pytest.approx(1.8), "c": 1.0, "d": pytest.approx(1.8),
    }  # fmt: skip


def test_without_hints_or_with_hints_switched_off_the_order_stays():
    off = HintConfig(enable_category_hints=False)
    assert [each.hit for each in rerank_by_categories(GIVEN, (), {})] == GIVEN
    assert [each.hit for each in rerank_by_categories(GIVEN, ["Pleading"], {"Pleading": 9}, off)] == GIVEN


def test_a_list_is_no_category():
    assert category_of(replace(EMPTY, metadata={"category": ("a", "b")})) is None


@pytest.mark.parametrize(
    "settings", [{"category_hint_boost": 0}, {"category_weight_multiplier": -1}, {"broaden_search_multiplier": 0}]
)
def test_settings_out_of_range_are_refused_by_name(settings):
    with pytest.raises(InvalidQueryError, match=next(iter(settings))):
        HintConfig(**settings)
