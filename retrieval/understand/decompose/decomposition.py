"""Splits a question into single questions (seed 004): by rules and the names of the index, or by a chat model."""

import warnings
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from importlib.resources import files
from typing import Protocol

from pydantic import BaseModel, ConfigDict

from retrieval.errors import QueryAnalysisError
from retrieval.understand.analysis import Chat, require_readable
from retrieval.understand.catalog.words import keys, words
from retrieval.understand.decompose.allocation import have_own_numbers
from retrieval.understand.decompose.comparisons import ComparedNames, compared, states_comparison
from retrieval.understand.reading.grammar import GLUE

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


class RuleDecomposer:
    """Splits comparisons, and hints at the categories that a question names.

    Args:
        names: the names in the index.
        categories: the categories of the library.
    """

    def __init__(self, names: ComparedNames, categories: Sequence[str] = ()) -> None:
        self._names = names
        self._categories = {category: frozenset(keys(category.replace("_", " "))) for category in categories}

    def decompose(self, query: str) -> Decomposition:
        """Return the decomposition of a question.

        Raises:
            QueryAnalysisError: it is empty, or longer than 2,000 characters.
        """
        require_readable(query)
        terms = [word for word in words(query) if word.key[0].isalnum()]
        whole = {word.key for word in terms}
        parts = compared(query, self._names.__contains__)
        named = {category: own for category, own in self._categories.items() if own and own <= whole}
        return Decomposition(
            main_intent=COMPARE if parts else LOOK_UP,
            sub_queries=parts or (query,),
            search_keywords=tuple(dict.fromkeys(word.text for word in terms if word.key not in GLUE)),
            # `medical records` does not name records of another kind.
            category_hints=tuple(
                category for category, own in named.items() if not any(own < other for other in named.values())
            ),
            tentative=bool(parts) and (not states_comparison(query) or have_own_numbers(parts)),
        )


class CategoryWeight(BaseModel):
    """How much a category counts."""

    model_config = ConfigDict(extra="forbid")
    category: str
    weight: float


class ModelDecomposition(BaseModel):
    """A question as the model takes it apart."""

    model_config = ConfigDict(extra="forbid")
    main_intent: str
    sub_queries: list[str]
    search_keywords: list[str]
    category_hints: list[str]
    category_weights: list[CategoryWeight]


@dataclass(frozen=True, slots=True)
class ModelDecomposer:
    """Splits questions with a chat model."""

    chat: Chat
    categories: Sequence[str] = ()

    def decompose(self, query: str) -> Decomposition:
        """Return the decomposition of a question.

        Raises:
            QueryAnalysisError: the model cannot be called, or its answer does not have the required form.
        """
        prompt = files(__package__).joinpath("prompt.txt").read_text("utf-8")
        instructions = prompt.format(
            categories="\n".join(f"- {category}" for category in self.categories) or "(there are none)"
        )
        answer, tokens = self.chat.ask(instructions, query, ModelDecomposition)
        weights = {weight.category: weight.weight for weight in answer.category_weights}
        return Decomposition.of(answer.model_dump() | {"category_weights": weights}, self.categories, tokens)
