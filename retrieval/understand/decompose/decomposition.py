"""A decomposition (seed 004): a question split into single questions."""

import warnings
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace
from typing import Protocol

from retrieval.errors import QueryAnalysisError

COMPARE, LOOK_UP = "compare", "look up"
"""The intents that rules recognise."""


@dataclass(frozen=True, slots=True)
class Decomposition:
    """A question split into single questions, with hints where their answers may be."""

    main_intent: str
    """The intent of the question, in a few words."""
    sub_queries: tuple[str, ...]
    """One or more; only the question itself if it asks one thing."""
    search_keywords: tuple[str, ...] = ()
    category_hints: tuple[str, ...] = ()
    """Categories that may contain the answer. Their documents are raised, and none is excluded."""
    category_weights: Mapping[str, float] = field(default_factory=dict)
    """Weight of each category relative to others; 1.0 is equal."""
    tokens: int = 0
    """Tokens that a model used."""
    tentative: bool = False
    """Whether the split is undone if the answers of the parts are not alike: words alone cannot identify a
    comparison."""

    def whole(self, query: str) -> "Decomposition":
        """Return a decomposition with the question as its only part."""
        return replace(self, main_intent=LOOK_UP, sub_queries=(query,), tentative=False)

    @classmethod
    def of(cls, record: Mapping[str, object], categories: Collection[str], tokens: int = 0) -> "Decomposition":
        """Read the JSON object of seed 004. Categories that the library lacks are left out.

        `potential_filters` is accepted with a warning, but not used: a wrong guess of a category hid documents.

        Raises:
            QueryAnalysisError: there is no sub-query, or a weight is not a number above 0.
        """
        if record.get("potential_filters"):
            warnings.warn(
                "potential_filters excludes what a guess forgot; it is ignored, give category_hints",
                DeprecationWarning,
                stacklevel=2,
            )
        texts = [text for entry in _list(record, "sub_queries") if (text := str(entry).strip())]
        if not texts:
            raise QueryAnalysisError("a decomposition has no sub_queries; give the question itself at least")
        given = record.get("category_weights") or {}
        weights = {str(name): weight for name, weight in given.items()} if isinstance(given, Mapping) else {}
        bad = {name: weight for name, weight in weights.items() if not _is_weight(weight)}
        if bad:
            raise QueryAnalysisError(f"category_weights holds {bad!r:.80}; give numbers above 0, 1.0 for as much")
        return cls(
            str(record.get("main_intent") or texts[0]),
            tuple(dict.fromkeys(texts)),
            tuple(dict.fromkeys(str(entry) for entry in _list(record, "search_keywords"))),
            tuple(dict.fromkeys(str(entry) for entry in _list(record, "category_hints") if str(entry) in categories)),
            {name: float(weight) for name, weight in weights.items() if name in categories},
            tokens,
        )


class Decomposer(Protocol):
    """Splits questions."""

    def decompose(self, query: str) -> Decomposition:
        """Return the decomposition of a question.

        Raises:
            QueryAnalysisError: the question cannot be decomposed.
        """


def _list(record: Mapping[str, object], name: str) -> list[object]:
    given = record.get(name)
    return list(given) if isinstance(given, list | tuple) else []


def _is_weight(weight: object) -> bool:
    return isinstance(weight, int | float) and not isinstance(weight, bool) and 0 < weight < float("inf")
