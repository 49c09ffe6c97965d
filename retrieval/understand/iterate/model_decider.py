"""What a search in rounds does next, decided by a chat model."""

from dataclasses import dataclass
from importlib.resources import files

from pydantic import BaseModel, ConfigDict

from retrieval.understand.chat import Chat
from retrieval.understand.iterate.facts import UNKNOWN, IterationDecision, Progress

SHOWN = 20
"""Facts that the model is shown, the latest."""
_LONGEST = 300
"""Characters of a fact that are shown."""


class ModelDecision(BaseModel):
    """What the model decides."""

    model_config = ConfigDict(extra="forbid")
    continue_iteration: bool
    next_sub_queries: list[str]
    category_focus: list[str]
    reasoning: str


@dataclass(frozen=True, slots=True)
class ModelDecider:
    """Decides with a chat model."""

    chat: Chat

    def decide(self, progress: Progress) -> IterationDecision:
        """What comes next.

        Raises:
            QueryAnalysisError: the model cannot be asked, or does not answer in the asked form.
        """
        told = files(__package__).joinpath("prompt.txt").read_text("utf-8")
        answer, tokens = self.chat.ask(told, _shown(progress), ModelDecision)
        return IterationDecision(
            answer.continue_iteration,
            tuple(text for each in answer.next_sub_queries if (text := each.strip())),
            tuple(answer.category_focus),
            answer.reasoning,
            tokens=tokens,
        )


def _shown(progress: Progress) -> str:
    facts = [
        f"- [{each.found.category or UNKNOWN}] {each.found.hit.chunk.title}: {each.found.hit.chunk.text[:_LONGEST]}"
        for each in progress.facts[-SHOWN:]
    ]
    explored = ", ".join(f"{name}: {count}" for name, count in progress.categories_explored.items())
    return "\n".join(
        [
            f"Question: {progress.original_query}",
            "Searched for:",
            *(f"- {each}" for each in progress.executed_queries),
            f"Categories explored: {explored or 'none'}",
            f"Round: {progress.current_iteration} of {progress.max_iterations}",
            "Facts:",
            *(facts or ["(none)"]),
        ]
    )
