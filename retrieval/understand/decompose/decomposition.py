"""What a question is made of: the record of seed 004."""

import warnings
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace
from typing import Protocol

from retrieval.errors import QueryAnalysisError

COMPARE, LOOK_UP = "compare", "look up"
"""What rules say is wanted."""


@dataclass(frozen=True, slots=True)
class Decomposition:
    """A question as the questions that it is made of, and where their answers may be."""

    main_intent: str
    """What is wanted, in a few words."""
    sub_queries: tuple[str, ...]
    """One or more; the question itself where it asks one thing."""
    search_keywords: tuple[str, ...] = ()
    category_hints: tuple[str, ...] = ()
    """Categories that may hold the answer. They raise what they hold and exclude nothing."""
    category_weights: Mapping[str, float] = field(default_factory=dict)
    """By category: how much more it counts than others, 1.0 as much."""
    tokens: int = 0
    """That a model was paid for."""
    tentative: bool = False
    """Whether the parts are undone where their answers are not alike: words alone cannot tell a comparison."""

    def whole(self, query: str) -> "Decomposition":
        """The question as its own only part."""
        return replace(self, main_intent=LOOK_UP, sub_queries=(query,), tentative=False)

    @classmethod
    def of(cls, record: Mapping[str, object], categories: Collection[str], tokens: int = 0) -> "Decomposition":
        """From the JSON object of seed 004. Categories that the library does not have are left out.

        `potential_filters` is accepted, warned of and not used: a wrong guess of a category hid documents.

        Raises:
            QueryAnalysisError: there is no sub-query, or a weight is no number above 0.
        """
        if record.get("potential_filters"):
            warnings.warn(
                "potential_filters excludes what a guess forgot; it is ignored, give category_hints",
                DeprecationWarning,
                stacklevel=2,
            )
        asked = [text for each in _list(record, "sub_queries") if (text := str(each).strip())]
        if not asked:
            raise QueryAnalysisError("a decomposition has no sub_queries; give the question itself at least")
        given = record.get("category_weights") or {}
        weights = {str(name): weight for name, weight in given.items()} if isinstance(given, Mapping) else {}
        bad = {name: weight for name, weight in weights.items() if not _is_weight(weight)}
        if bad:
            raise QueryAnalysisError(f"category_weights holds {bad!r:.80}; give numbers above 0, 1.0 for as much")
        return cls(
            str(record.get("main_intent") or asked[0]),
            tuple(dict.fromkeys(asked)),
            tuple(dict.fromkeys(str(each) for each in _list(record, "search_keywords"))),
            tuple(dict.fromkeys(str(each) for each in _list(record, "category_hints") if str(each) in categories)),
            {name: float(weight) for name, weight in weights.items() if name in categories},
            tokens,
        )


class Decomposer(Protocol):
    """Whoever takes questions apart."""

    def decompose(self, query: str) -> Decomposition:
        """What a question is made of.

        Raises:
            QueryAnalysisError: it cannot be said.
        """


def _list(record: Mapping[str, object], name: str) -> list[object]:
    given = record.get(name)
    return list(given) if isinstance(given, list | tuple) else []


def _is_weight(weight: object) -> bool:
    return isinstance(weight, int | float) and not isinstance(weight, bool) and 0 < weight < float("inf")
