import asyncio
from datetime import date

import pytest

from retrieval.errors import FallbackActivatedError, InvalidQueryError
from retrieval.search.retriever import Retriever
from retrieval.understand.analysis import QueryIntent
from retrieval.understand.self_query.conditions import SelfQueryConfig
from retrieval.understand.self_query.retriever import ExecutionStrategy, SelfQueryRetriever
from tests.retrieval.understand.conftest import TODAY


@pytest.fixture(scope="module")
def self_query(store: Retriever) -> SelfQueryRetriever:
    return SelfQueryRetriever(store, today=lambda: TODAY)


def names(found: object) -> list[str]:
    return [document.title.removeprefix("Programme: ") for document in found.documents]  # type: ignore[attr-defined]


def test_a_filter_alone_gives_every_document_that_meets_it(self_query: SelfQueryRetriever) -> None:
    sync = self_query.retrieve_sync("shows directed by Ida Bauer")
    assert names(sync) == ["Salt and Iron", "A Night Too Long", "Ash Wednesday"]
    assert (sync.analysis.intent, sync.total) == (QueryIntent.FILTER, 3)
    assert all(document.hit is None for document in sync.documents)


def test_a_topic_is_ranked_among_what_the_conditions_leave(self_query: SelfQueryRetriever) -> None:
    sync = self_query.retrieve_sync("closed shows about harbour lights")
    assert names(sync)[0] == "Harbour Lights"
    assert (sync.analysis.intent, sync.total) == (QueryIntent.COMBINED, 3)
    assert {document.metadata["status"] for document in sync.documents} == {"closed"}


def test_without_conditions_it_is_a_search_over_everything(self_query: SelfQueryRetriever) -> None:
    sync = self_query.retrieve_sync("what happens on the quiet floor")
    assert (sync.analysis.intent, sync.filter, sync.total) == (QueryIntent.SEARCH, None, 8)
    assert names(sync)[0] == "The Quiet Floor"
    assert names(self_query.retrieve_sync("closed shows", use_filters=False, top_k=8)) != names(
        self_query.retrieve_sync("closed shows")
    )


def test_documents_are_counted_by_the_values_of_a_field(self_query: SelfQueryRetriever) -> None:
    sync = self_query.retrieve_sync("how many shows per status?")
    assert sync.analysis.intent is QueryIntent.AGGREGATE
    assert [(group.value, group.count) for group in sync.groups] == [
        *(("closed", 3), ("running", 3), ("cancelled", 1), ("in rehearsal", 1))
    ]
    assert self_query.retrieve_sync("how many closed shows are there?").total == 3


def test_a_question_that_counts_what_a_text_says_counts_no_documents(self_query: SelfQueryRetriever) -> None:
    sync = self_query.retrieve_sync("how many shows have a lamp that falls into the water?")
    assert (sync.analysis.intent, sync.conditions, sync.total) == (QueryIntent.SEARCH, (), 8)
    assert all(document.hit for document in sync.documents)
    assert self_query.retrieve_sync("what is the total number of closed shows?").total == 3


@pytest.mark.parametrize(
    ("question", "boosts"),
    [
        ("closed shows about a harbour", {"closed": 1.2}),
        ("shows about a harbour that are not closed", {"closed": 1 / 1.2}),
        ("how many closed shows have a harbour on the stage?", {}),
    ],
)
def test_a_class_beside_a_topic_ranks_and_excludes_nothing(store, question, boosts):
    hinting = SelfQueryRetriever(store, config=SelfQueryConfig(hint_fields=("status",)), today=lambda: TODAY)
    sync = hinting.retrieve_sync(question)
    assert (sync.conditions, sync.total, len(sync.documents)) == ((), 8, 8)
    assert {
        document.metadata["status"]: document.hinted.category_boost for document in sync.documents if document.hinted
    } == {status: boosts.get(status, 1.0) for status in ("closed", "running", "cancelled", "in rehearsal")}


@pytest.mark.parametrize(
    ("question", "total"), [("how many closed shows are there?", 3), ("shows that are not closed", 5)]
)
def test_a_class_that_is_counted_or_denied_without_a_topic_is_a_condition(store, question, total):
    hinting = SelfQueryRetriever(store, config=SelfQueryConfig(hint_fields=("status",)), today=lambda: TODAY)
    assert hinting.retrieve_sync(question).total == total


def test_conditions_that_nothing_meets_are_relaxed_with_a_reason(self_query: SelfQueryRetriever) -> None:
    sync = self_query.retrieve_sync("cancelled shows by Mira Okafor")
    assert sync.total == 3
    assert [str(fallback) for fallback in sync.fallbacks] == [
        "no document meets the conditions; dropped 'cancelled', which leaves 3 documents"
    ]
    assert self_query.fallback.patterns() == {("no document meets the conditions", "status"): 1}
    with pytest.raises(FallbackActivatedError, match="dropped 'cancelled'"):
        self_query.retrieve_sync("cancelled shows by Mira Okafor", strict=True)


def test_a_value_that_no_document_has_is_a_fallback_with_a_reason(store: Retriever) -> None:
    self_query_retriever = SelfQueryRetriever(store, today=lambda: TODAY)
    sync = self_query_retriever.retrieve_sync("closed shows directed by Zorro")
    assert sync.total == 3
    assert [str(fallback) for fallback in sync.fallbacks] == [
        "no document has 'Zorro' as director (there are Ida Bauer, Mira Okafor, Jon Lindqvist, Tomas Rey); "
        "it is searched as a word"
    ]
    assert self_query_retriever.fallback.patterns() == {("no document has the value", "director"): 1}
    with pytest.raises(FallbackActivatedError, match="Zorro"):
        self_query_retriever.retrieve_sync("shows by Zorro", strict=True)


def test_an_uncertain_analysis_filters_nothing(store: Retriever) -> None:
    doubting = SelfQueryRetriever(store, None, 0.99, today=lambda: TODAY)
    sync = doubting.retrieve_sync("cancelled shows")
    assert (sync.filter, sync.total) == (None, 8)
    assert "not certain enough" in str(sync.fallbacks[0])
    by_config = SelfQueryRetriever(store, config=SelfQueryConfig(fallback_threshold=0.99), today=lambda: TODAY)
    assert by_config.retrieve_sync("cancelled shows").fallbacks == sync.fallbacks
    argument = SelfQueryRetriever(store, None, 0.5, config=SelfQueryConfig(fallback_threshold=0.99))
    assert argument.retrieve_sync("cancelled shows").total == 1
    strict = SelfQueryRetriever(store, config=SelfQueryConfig(filter_confidence_threshold=1.0), today=lambda: TODAY)
    assert strict.retrieve_sync("cancelled shows").conditions == ()


def test_the_most_certain_conditions_are_kept(store: Retriever) -> None:
    one = SelfQueryRetriever(store, config=SelfQueryConfig(max_filter_conditions=1), today=lambda: TODAY)
    assert [condition.text for condition in one.retrieve_sync("recent shows by Mira Okafor").conditions] == [
        "Mira Okafor"
    ]


@pytest.mark.parametrize(
    ("question", "strategy", "reason"),
    [
        ("cancelled shows from 2025", ExecutionStrategy.PARALLEL, "2 conditions"),
        (
            "the lamp that falls into the water twice before midnight comes and goes",
            ExecutionStrategy.SEARCH_FIRST,
            "no condition on metadata",
        ),
        ("shows not directed by Tomas Rey", ExecutionStrategy.SEARCH_FIRST, "6 of 8 documents: hardly selective"),
        ("winter shows", ExecutionStrategy.FILTER_FIRST, "2 of 8"),
    ],
)
def test_the_plan_follows_what_the_conditions_leave(self_query, question, strategy, reason):
    plan = self_query.retrieve_sync(question).plan
    assert plan.strategy is strategy
    assert reason in plan.reason


def test_today_is_what_the_caller_says(store: Retriever) -> None:
    earlier = SelfQueryRetriever(store, today=lambda: date(2023, 2, 1))
    assert names(earlier.retrieve_sync("shows that opened last month")) == ["Salt and Iron"]


def test_many_questions_at_once_get_their_own_answers(self_query: SelfQueryRetriever) -> None:
    seasons = ["spring", "summer", "autumn", "winter"] * 5

    async def ask() -> list[set[object]]:
        result = await asyncio.gather(*(self_query.retrieve(f"{season} shows") for season in seasons))
        return [{document.metadata["season"] for document in one.documents} for one in result]

    assert asyncio.run(ask()) == [{season} for season in seasons]


@pytest.mark.parametrize(("question", "top_k"), [("", 10), ("   ", 10), ("x" * 2001, 10), ("shows", 0)])
def test_bad_input_is_one_error(self_query: SelfQueryRetriever, question: str, top_k: int) -> None:
    with pytest.raises(InvalidQueryError):
        self_query.retrieve_sync(question, top_k)


@pytest.mark.parametrize(
    "setting",
    [
        {"filter_confidence_threshold": 2},
        {"fallback_threshold": -1},
        {"max_filter_conditions": 0},
        {"llm_temperature": 3},
    ],
)
def test_a_setting_out_of_its_range_is_named(setting: dict[str, float]) -> None:
    with pytest.raises(InvalidQueryError, match=next(iter(setting))):
        SelfQueryConfig(**setting)  # type: ignore[arg-type]
