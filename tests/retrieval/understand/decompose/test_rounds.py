import json
import logging
from dataclasses import dataclass, field

import pytest

from retrieval.errors import InvalidQueryError, QueryAnalysisError
from retrieval.understand.analysis import Chat
from retrieval.understand.decompose.decomposition import Decomposition, ModelDecomposer
from retrieval.understand.decompose.facts import IterationDecision, IterationSettings, ModelDecider
from retrieval.understand.decompose.rounds import ALLOCATED_FROM, IterativeRetriever
from retrieval.understand.hints import HintConfig


@dataclass
class Fixed:
    parts: Decomposition
    decisions: list = field(default_factory=list)
    seen: list = field(default_factory=list)

    def decompose(self, query):
        return self.parts

    def decide(self, progress):
        self.seen.append(progress)
        return self.decisions.pop(0) if self.decisions else IterationDecision(False, reasoning="enough")


def titles(hits):
    return [hit.chunk.heading_path[0].removeprefix("Programme: ") for hit in hits]


def test_a_single_question_is_ranked_as_a_search_ranks_it(store):
    result = IterativeRetriever(store, category_key="status").retrieve("harbour lights", 3)
    assert titles(result.hits) == titles(store.retrieve("harbour lights", 3).hits)
    assert result.decomposition.sub_queries == ("harbour lights",)


def test_a_comparison_answers_each_part_and_says_which(store):
    result = IterativeRetriever(store).retrieve("the quiet floor versus paper kings", 4)
    assert set(titles(result.hits[:2])) == {"The Quiet Floor", "Paper Kings"}
    assert [result.answers[hit.chunk.id] for hit in result.hits[:2]] == list(result.decomposition.sub_queries)


def test_parts_that_only_words_suggest_are_undone_where_one_of_them_has_no_answer_of_its_own(store):
    parts = ("quiet floor", "quiet floor", "paper kings")
    result = IterativeRetriever(store, Fixed(Decomposition("compare", parts, tentative=True))).retrieve(
        "quiet floor", 4
    )
    assert (result.decomposition.sub_queries, result.decomposition.main_intent) == (("quiet floor",), "look up")
    assert titles(result.hits) == titles(store.retrieve("quiet floor", 4).hits)


@pytest.fixture
def searched(store, monkeypatch):
    """The questions that were searched for, in turn."""
    queries = []
    retrieve = type(store).retrieve

    def counting(self, query, *given, **options):
        queries.append(query)
        return retrieve(self, query, *given, **options)

    monkeypatch.setattr(type(store), "retrieve", counting)
    return queries


def test_undone_parts_cost_no_second_search_for_the_question(store, searched):
    parts = ("quiet floor", "quiet floor", "paper kings")
    IterativeRetriever(store, Fixed(Decomposition("compare", parts, tentative=True))).retrieve("a quiet floor", 4)
    assert sorted(searched) == ["a quiet floor", "paper kings", "quiet floor"]


def test_each_part_of_a_comparison_is_searched_once_and_so_is_the_whole(store, searched):
    whole = "the quiet floor versus paper kings"
    result = IterativeRetriever(store).retrieve(whole, 4)
    assert searched[: len(set(searched))] == searched
    assert {whole, *result.decomposition.sub_queries} <= set(searched)
    known = store.retrieve(whole, ALLOCATED_FROM, "default")
    searched.clear()
    again = IterativeRetriever(store).retrieve(whole, 4, known)
    assert (whole in searched, again.answers, titles(again.hits)) == (False, result.answers, titles(result.hits))


def test_a_wrong_hint_still_finds_the_document(store):
    parts = Decomposition(
        "find", ("harbour lights",), category_hints=("cancelled",), category_weights={"cancelled": 2.0}
    )
    result = IterativeRetriever(store, Fixed(parts), category_key="status").retrieve("harbour lights", 8)
    assert titles(result.hits)[0] == "Harbour Lights"
    assert len(result.hits) == 8


def test_rounds_gather_facts_until_the_decider_stops_and_ask_nothing_twice(store):
    parts = Decomposition("find", ("harbour lights",))
    more = IterationDecision(True, ("harbour lights", "paper kings"), ("running", "no such"), "more")
    fixed = Fixed(parts, [more])
    result = IterativeRetriever(store, fixed, fixed, category_key="status").retrieve("harbour lights")
    assert result.executed_queries == ("harbour lights", "paper kings")
    assert [each.current_iteration for each in fixed.seen] == [1, 2]
    assert sum(fixed.seen[0].categories_explored.values()) == len(fixed.seen[0].facts)
    assert result.stopped == "enough"


@pytest.mark.parametrize(
    ("settings", "stopped"),
    [
        ({"max_iterations": 1}, "1 rounds were made"),
        ({"max_seconds": 0}, "the budget is used up: 1.0 s"),
        ({"max_tokens": 10}, "the budget is used up"),
    ],
)
def test_bounds_end_the_rounds(store, settings, stopped):
    ticks = iter(range(100))
    endless = Fixed(
        Decomposition("f", ("harbour",)), [IterationDecision(True, (f"q{n}",), tokens=20) for n in range(9)]
    )
    iterative_retriever = IterativeRetriever(
        store, endless, endless, settings=IterationSettings(**settings), clock=lambda: float(next(ticks))
    )
    assert iterative_retriever.retrieve("harbour").stopped.startswith(stopped)


def test_it_logs_what_it_does_and_filters_nothing(store, caplog):
    parts = Decomposition("find", ("harbour lights",), category_hints=("running",))
    with caplog.at_level(logging.INFO, "retrieval.understand"):
        IterativeRetriever(store, Fixed(parts), category_key="status").retrieve("harbour lights", 5)
    assert "Executing vector search with category hints: ['running']" in caplog.text
    assert "Retrieved 5 chunks after re-ranking." in caplog.text
    assert "Applying filters" not in caplog.text


def test_models_take_apart_and_decide_over_a_socket_and_are_paid_for(store, client, server):
    parts = {
        "main_intent": "m",
        "sub_queries": ["harbour lights"],
        "search_keywords": [],
        "category_hints": ["running"],
    }
    decisions = [
        {"continue_iteration": True, "next_sub_queries": ["paper kings"], "category_focus": [], "reasoning": "kings"},
        {"continue_iteration": False, "next_sub_queries": [], "category_focus": [], "reasoning": "done"},
    ]
    server.contents = [json.dumps(decision) for decision in ({**parts, "category_weights": []}, *decisions)]
    chat = Chat(client, "m", 0.0, 300)
    iterative_retriever = IterativeRetriever(
        store, ModelDecomposer(chat, ["running"]), ModelDecider(chat), category_key="status"
    )
    result = iterative_retriever.retrieve("harbour lights and paper kings")
    assert result.executed_queries == ("harbour lights", "paper kings")
    assert result.stopped == "done"
    system, query = (message["content"] for message in server.asked[1]["messages"])
    assert system.startswith("You lead a search in rounds")
    assert server.asked[0]["messages"][0]["content"].startswith("You take questions about a library apart")
    assert "Searched for:\n- harbour lights" in query
    assert "Categories explored: " in query


def test_a_model_that_fails_leaves_one_plain_search(store, client, server):
    server.status = 500
    chat = Chat(client, "m", 0.0, 300)
    result = IterativeRetriever(store, ModelDecomposer(chat), ModelDecider(chat)).retrieve("harbour lights", 3)
    assert titles(result.hits)[0] == "Harbour Lights"
    assert "no decision" in result.stopped


def test_a_search_that_finds_nothing_is_broadened_without_hints(store, caplog, monkeypatch):
    iterative_retriever = IterativeRetriever(store, category_key="status")
    whole = iterative_retriever.retriever.retrieve
    sizes = []

    class Empty:
        snapshot = store.snapshot

        def retrieve(self, query, k, strategy, **how):
            sizes.append(k)
            result = whole(query, k, strategy, **how)
            return result if len(sizes) > 1 else type(result)(result.query, result.strategy, (), result.receipt)

    iterative_retriever.retriever = Empty()
    results = iterative_retriever.retrieve("harbour lights", 5)
    assert sizes[:2] == [15, 30]
    assert titles(results.hits)[0] == "Harbour Lights"
    assert "Attempting broader search without hints" in caplog.text


def test_what_cannot_be_asked_is_refused(store):
    iterative_retriever = IterativeRetriever(store)
    with pytest.raises(InvalidQueryError, match="0 characters"):
        iterative_retriever.retrieve("")
    with pytest.raises(InvalidQueryError, match="top_k is 0"):
        iterative_retriever.retrieve("a", 0)
    with pytest.raises(InvalidQueryError, match="max_iterations is 0"):
        IterationSettings(max_iterations=0)
    with pytest.raises(QueryAnalysisError):
        Decomposition.of({}, ())
    assert HintConfig().broaden_search_multiplier == 3
