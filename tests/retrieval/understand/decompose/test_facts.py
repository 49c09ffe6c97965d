from dataclasses import replace

from retrieval.types import Hit
from retrieval.understand.decompose.decomposition import Decomposition
from retrieval.understand.decompose.facts import Fact, Progress, RuleDecider
from retrieval.understand.hints import rerank_by_categories
from tests.chunks import EMPTY


def fact(sub_query, score, category=None, iteration=1):
    metadata = {"category": category} if category else {}
    (result,) = rerank_by_categories([Hit(replace(EMPTY, metadata=metadata), score, 1)], (), {})
    return Fact(result, sub_query, iteration, sub_query)


def progress(facts, *, iteration=1, executed=("price of an oar", "price of a sail")):
    parts = Decomposition("compare", ("price of an oar", "price of a sail"), ("price", "oar", "sail"))
    return Progress("oar or sail", parts, executed, tuple(facts), iteration, 3)


def test_what_is_open_is_asked_by_its_key_words_where_facts_came_from():
    decision = RuleDecider().decide(progress([fact("price of an oar", 2.0, "gear"), fact("price of a sail", -1.0)]))
    assert (decision.continue_iteration, decision.next_sub_queries) == (True, ("price sail",))
    assert decision.category_focus == ("gear",)


def test_the_next_round_is_broader_and_has_no_focus():
    output = progress([fact("price of an oar", 2.0, "gear")], iteration=2, executed=("price sail",))
    decision = RuleDecider().decide(output)
    assert (decision.next_sub_queries, decision.category_focus) == (("price",), ())


def test_it_stops_where_every_part_has_an_answer_or_all_was_asked():
    decision = RuleDecider().decide(progress([fact("price of an oar", 2.0), fact("price of a sail", 0.1)]))
    assert (decision.continue_iteration, decision.next_sub_queries) == (False, ())
    output = progress([], iteration=1, executed=("price oar", "price sail"))
    assert "every way" in RuleDecider().decide(output).reasoning


def test_categories_are_counted():
    output = progress([fact("a", 1, "x"), fact("b", 1), fact("c", 1, "y"), fact("d", 1, "y")])
    assert output.categories_explored == {"y": 2, "x": 1, "Unknown": 1}
