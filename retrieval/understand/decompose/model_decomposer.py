"""Questions taken apart by a chat model, which is given the categories of the library."""

from collections.abc import Sequence
from dataclasses import dataclass
from importlib.resources import files

from pydantic import BaseModel, ConfigDict

from retrieval.understand.chat import Chat
from retrieval.understand.decompose.decomposition import Decomposition


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
    """Takes questions apart with a chat model."""

    chat: Chat
    categories: Sequence[str] = ()

    def decompose(self, query: str) -> Decomposition:
        """What a question is made of.

        Raises:
            QueryAnalysisError: the model cannot be asked, or does not answer in the asked form.
        """
        prompt = files(__package__).joinpath("prompt.txt").read_text("utf-8")
        told = prompt.format(categories="\n".join(f"- {each}" for each in self.categories) or "(there are none)")
        answer, tokens = self.chat.ask(told, query, ModelDecomposition)
        weights = {each.category: each.weight for each in answer.category_weights}
        return Decomposition.of(answer.model_dump() | {"category_weights": weights}, self.categories, tokens)
