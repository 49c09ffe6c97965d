import json
from dataclasses import replace

import pytest

from retrieval.errors import QueryAnalysisError
from retrieval.understand.analysis import Chat
from retrieval.understand.decompose.comparisons import ComparedNames
from retrieval.understand.decompose.decomposition import Decomposition, ModelDecomposer, RuleDecomposer
from tests.chunks import EMPTY

CATEGORIES = ("Pleading", "medical_record")


def test_a_record_keeps_what_the_library_has():
    result = Decomposition.of(
        {
            "main_intent": "find",
            "sub_queries": ["a", " a ", "", "b"],
            "search_keywords": ["a"],
            "category_hints": ["Pleading", "Bill"],
            "category_weights": {"Pleading": 1.5, "Bill": 2},
        },
        CATEGORIES,
    )
    assert (result.sub_queries, result.category_hints, result.category_weights) == (
        ("a", "b"),
        ("Pleading",),
        {"Pleading": 1.5},
    )


def test_potential_filters_are_ignored_with_a_warning():
    with pytest.warns(DeprecationWarning, match="category_hints"):
        result = Decomposition.of({"sub_queries": ["a"], "potential_filters": {"category": "Pleading"}}, CATEGORIES)
    assert (result.category_hints, result.category_weights) == ((), {})


@pytest.mark.parametrize(
    "record", [{}, {"sub_queries": [" "]}, {"sub_queries": ["a"], "category_weights": {"Bill": -1}}]
)
def test_a_record_that_cannot_be_used_is_refused(record):
    with pytest.raises(QueryAnalysisError, match="give"):
        Decomposition.of(record, CATEGORIES)


def test_by_rules_a_comparison_has_parts_and_a_named_category_is_a_hint():
    names = ComparedNames([replace(EMPTY, row_key="Oar"), replace(EMPTY, row_key="Sail, square")])
    decomposer = RuleDecomposer(names, CATEGORIES)

    compared = decomposer.decompose("oar and square sail in the medical records: costs")
    single = decomposer.decompose("what does an oar cost?")

    assert compared.sub_queries == ("oar in the medical records: costs", "square sail in the medical records: costs")
    assert (compared.category_hints, compared.main_intent) == (("medical_record",), "compare")
    assert (single.sub_queries, single.search_keywords) == (("what does an oar cost?",), ("oar", "cost"))
    with pytest.raises(QueryAnalysisError, match="0 characters"):
        decomposer.decompose("")


def test_a_model_is_told_the_categories_and_answers_in_the_form(client, server):
    server.contents = [
        json.dumps(
            {
                "main_intent": "negligence",
                "sub_queries": ["who was hurt", "who was there"],
                "search_keywords": ["hurt"],
                "category_hints": ["Pleading", "Photo"],
                "category_weights": [{"category": "Pleading", "weight": 1.5}],
            }
        )
    ]
    decompose = ModelDecomposer(Chat(client, "m", 0.0, 300), CATEGORIES).decompose("who was hurt, and who was there?")
    assert decompose.sub_queries == ("who was hurt", "who was there")
    assert (decompose.category_hints, decompose.category_weights) == (("Pleading",), {"Pleading": 1.5})
    assert "- medical_record" in server.asked[0]["messages"][0]["content"]
