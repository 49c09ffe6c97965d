"""What the words of the page mean, for a person who opens it without having read anything."""

from collections.abc import Mapping
from types import MappingProxyType

WORDS = (
    ("chunk", "a row of a table, or a passage of prose: what is searched and returned"),
    (
        "gold",
        "the chunks that answer a question, as the file of questions says; a question fails where none comes first",
    ),
    ("query_must", "a condition on the question that a row has: a row for armor class 6 asks for a question about it"),
    ("guarded", "having a query_must; the filter keeps a guarded row out where the question does not meet it"),
    (
        "noise",
        "rows that look like the right one and are not: others of its table, or of a table with the same columns",
    ),
    ("snapshot", "an index of the whole library at one time; the live one is what readers get"),
    ("gate", "the rules that a snapshot must hold before it goes live"),
)
"""(word, meaning) in the order in which a reader needs them."""

STRATEGY_WORDS: Mapping[str, str] = MappingProxyType(
    {
        "bm25": "words alone, no filter",
        "dense": "vectors alone, no filter",
        "hybrid": "0.4 words + 0.6 vectors, each scaled to 0..1, no filter",
        "hybrid_graph": "hybrid, and the neighbours of its best chunks in the graph raised",
        "iterative": "vectors; excludes what query_must forbids and asks again",
        "prefilter": "vectors; query_must decides before the search",
        "default": (
            "what ships: the prefilter, the evidence of names, a second look at the best, and what stands beside the "
            "first row"
        ),
    }
)
"""What docs/cli.md says of each, without markup."""
