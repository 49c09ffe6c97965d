"""A receipt names what was looked at, unless nobody reads it."""

import pytest

from retrieval.search.retriever import Retriever


@pytest.mark.parametrize("strategy", ["default", "prefilter", "dense"])
def test_hits_are_the_same_where_nobody_asks_why(retriever: Retriever, strategy: str) -> None:
    told = retriever.retrieve("What does a cleric need to hit armor class 6?", 12, strategy)
    short = retriever.retrieve("What does a cleric need to hit armor class 6?", 12, strategy, decisions=False)
    assert short.hits == told.hits
    assert told.receipt.decisions
    assert (short.receipt.decisions, short.receipt.excluded) == ((), None)
