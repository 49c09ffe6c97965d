"""Definitions of the words on the report, for readers who know none of them."""

from collections.abc import Mapping
from types import MappingProxyType

WORDS = (
    ("chunk", "a row of a table, or a passage of prose: what is searched and returned"),
    (
        "gold",
        "the chunks that answer a question, by the question file; a question fails if none of them ranks first",
    ),
    ("query_must", "a row's condition on the question: the row for armor class 6 requires that the question names it"),
    ("guarded", "having a query_must; the filter excludes a guarded row if the question does not satisfy it"),
    (
        "noise",
        "rows that resemble the right one: other rows of its table, or of a table with the same columns",
    ),
    ("snapshot", "an index of the whole library at one time; readers get the live one"),
    ("gate", "the checks that a snapshot must pass before it goes live"),
)
"""(word, meaning), in reading order."""

STRATEGY_WORDS: Mapping[str, str] = MappingProxyType(
    {
        "bm25": "BM25 alone, no filter",
        "dense": "vectors alone, no filter",
        "hybrid": "0.4 BM25 + 0.6 vectors, each scaled to 0..1, no filter",
        "hybrid_graph": "hybrid with a boost for neighbours of its best chunks in the graph",
        "iterative": "vectors; excludes what query_must forbids and searches again",
        "prefilter": "vectors; applies query_must before the search",
        "default": (
            "the strategy that ships: prefilter, evidence from names, re-ranking, and context of the first row"
        ),
    }
)
"""What docs/reference/cli.md says of each, without markup."""
