"""Decomposers: by rules and the names of the index, or by a chat model."""

from collections.abc import Sequence
from dataclasses import dataclass
from importlib.resources import files

from pydantic import BaseModel, ConfigDict

from retrieval.understand.analysis import Chat, require_readable
from retrieval.understand.catalog.words import keys, words
from retrieval.understand.decompose.comparisons import ComparedNames, compared, duel_sides
from retrieval.understand.decompose.decomposition import COMPARE, LOOK_UP, Decomposition
from retrieval.understand.reading.grammar import GLUE


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
            tentative=bool(parts) and not duel_sides(query),
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
        told = prompt.format(
            categories="\n".join(f"- {category}" for category in self.categories) or "(there are none)"
        )
        answer, tokens = self.chat.ask(told, query, ModelDecomposition)
        weights = {weight.category: weight.weight for weight in answer.category_weights}
        return Decomposition.of(answer.model_dump() | {"category_weights": weights}, self.categories, tokens)
