import json

import pytest
from openai import OpenAI

from retrieval.errors import QueryAnalysisError
from retrieval.search.metadata_filter import Or
from retrieval.search.retriever import Retriever
from retrieval.understand.analysis import QueryAnalysis, QueryIntent
from retrieval.understand.catalog.catalog import CatalogField
from retrieval.understand.self_query.conditions import FilterTranslator
from retrieval.understand.self_query.model_analyzer import ModelAnalyzer, _described
from retrieval.understand.self_query.retriever import SelfQueryRetriever
from tests.retrieval.understand.conftest import TODAY, Archive, Server

ANSWER = {
    "conditions": [
        {"text": "Bauer's", "field": "director", "operator": "$eq", "values": ["ida bauer"], "negated": False},
        {
            "text": "since 2023",
            "field": "premiere_date",
            "operator": "$gte",
            "values": ["2023-01-01"],
            "negated": False,
        },
        {"text": "gold", "field": "status", "operator": "$eq", "values": ["golden"], "negated": False},
        {"text": "loud", "field": "volume", "operator": "$gt", "values": [11], "negated": False},
    ],
    "topic": "iron",
    "intent": "combined",
    "group_by": "",
    "confidence": 0.9,
    "explanation": "a director and a time",
}


@pytest.fixture(autouse=True)
def answer(server: Server) -> None:
    server.contents = [json.dumps(ANSWER)]


def test_only_fields_and_values_that_are_there_become_conditions(client: OpenAI, archive: Archive) -> None:
    result = ModelAnalyzer(client, archive.catalog, lambda: TODAY).read(
        "Bauer's gold shows since 2023 about iron, loud"
    )
    assert [(entity.field, entity.value) for entity in result.entities] == [("director", "Ida Bauer")]
    assert [(ref.field, str(ref.start), ref.end) for ref in result.temporal_refs] == [
        ("premiere_date", "2023-01-01", None)
    ]
    assert (result.intent, result.topic, result.confidence) == (QueryIntent.COMBINED, "iron", 0.9)


def test_the_model_is_told_the_day_and_what_the_index_holds(client: OpenAI, server: Server, archive: Archive) -> None:
    ModelAnalyzer(client, archive.catalog, lambda: TODAY).read("closed shows")
    told = server.asked[0]["messages"][0]["content"]
    assert "Today is 2026-08-22" in told
    assert "- status: text: closed, running, cancelled, in rehearsal" in told
    assert "- premiere_date: ISO date, from 2022-02-16 to 2026-09-05" in told
    assert server.asked[0]["response_format"]["json_schema"]["strict"] is True


@pytest.mark.parametrize(
    ("trouble", "message"),
    [
        ({"status": 401}, "AuthenticationError"),
        ({"contents": ["{}"]}, "requested form"),
        ({"contents": ["not JSON"]}, "requested form"),
        ({"finish": "length"}, "llm_max_tokens"),
        ({"refusal": "no thanks"}, "refused"),
    ],
)
def test_what_goes_wrong_is_one_error(client, server, archive, trouble, message):
    for name, value in trouble.items():
        setattr(server, name, value)
    with pytest.raises(QueryAnalysisError, match=message):
        ModelAnalyzer(client, archive.catalog).read("closed shows")


def test_a_question_that_the_model_cannot_read_is_read_without_one(client, server, store):
    server.status = 500
    sync = SelfQueryRetriever(store, client, today=lambda: TODAY).retrieve_sync("winter shows")
    assert sync.total == 2
    assert "read without one" in str(sync.fallbacks[0])


def test_an_analysis_is_kept(client: OpenAI, server: Server, store: Retriever) -> None:
    self_query_retriever = SelfQueryRetriever(store, client, today=lambda: TODAY)
    first, second = (
        self_query_retriever.retrieve_sync("Bauer's iron"),
        self_query_retriever.retrieve_sync("Bauer's iron"),
    )
    assert first.documents == second.documents
    assert len(server.asked) == 1


def analysed(server: Server, client: OpenAI, archive: Archive, *values: object, operator: str = "$eq") -> QueryAnalysis:
    condition = {"text": "then", "field": "premiere_date", "operator": operator, "values": values, "negated": False}
    server.contents = [json.dumps(ANSWER | {"conditions": [condition]})]
    return ModelAnalyzer(client, archive.catalog, lambda: TODAY).read("shows of then")


def test_several_times_of_one_condition_are_alternatives(client: OpenAI, server: Server, archive: Archive) -> None:
    analysis = analysed(server, client, archive, "2022-02-16", "2026-09-05")
    (condition,) = FilterTranslator(archive.catalog).conditions(analysis)
    assert isinstance(condition.filter, Or)
    assert len(condition.filter.filters) == 2


def test_a_year_is_all_of_its_days_and_what_is_no_time_is_told(
    client: OpenAI, server: Server, archive: Archive
) -> None:
    (ref,) = analysed(server, client, archive, 2023).temporal_refs
    assert (str(ref.start), str(ref.end)) == ("2023-01-01", "2023-12-31")
    (ref,) = analysed(server, client, archive, "2023", operator="$gt").temporal_refs
    assert (str(ref.start), ref.end) == ("2024-01-01", None)
    analysis = analysed(server, client, archive, "once upon a time")
    assert not analysis.temporal_refs
    assert [unknown.text for unknown in analysis.unknown] == ["once upon a time"]


def test_the_model_is_told_numbers_in_their_order() -> None:
    size = CatalogField("size", "number", listed=False, counts={5: 1, 10: 1, 200: 1})
    assert _described(size) == "- size: number, from 5 to 200"
