"""The reading of a predicate: how the first implementation of this idea calls it."""

import logging

import pytest

from retrieval.query_must import Vocabulary, satisfies_query_must

MUST = {"contain_one_of": [["cleric"], ["ac 6"]]}


@pytest.mark.parametrize("debug", [True, False])
@pytest.mark.parametrize(("question", "holds"), [("a cleric against AC 6", True), ("a cleric against AC 7", False)])
def test_debug_is_taken_third_or_by_name_and_decides_nothing(question: str, holds: bool, debug: bool) -> None:
    assert satisfies_query_must(question, MUST, debug) is holds
    assert satisfies_query_must(question, MUST, debug=debug) is holds
    assert satisfies_query_must(question, MUST, Vocabulary.default(), debug=debug) is holds


def test_debug_logs_the_reason_and_nothing_is_logged_without_it(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO)
    satisfies_query_must("a cleric against AC 7", MUST)
    satisfies_query_must("a cleric against AC 7", MUST, False)
    assert caplog.messages == []
    satisfies_query_must("a cleric against AC 7", MUST, True)
    satisfies_query_must("a cleric against AC 6", MUST, debug=True)
    satisfies_query_must("anything", None, debug=True)
    assert caplog.messages == ['contain_one_of failed group: ["ac 6"]', "satisfies query_must", "no restrictions"]


def test_an_empty_group_asks_nothing() -> None:
    assert satisfies_query_must("anything", [[]])
