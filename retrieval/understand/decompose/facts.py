"""The facts that a search in rounds has found, and its next step, decided by rules or by a model."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from importlib.resources import files
from typing import Protocol

from pydantic import BaseModel, ConfigDict

from retrieval.errors import InvalidQueryError
from retrieval.understand.analysis import Chat
from retrieval.understand.catalog.words import words
from retrieval.understand.decompose.decomposition import Decomposition
from retrieval.understand.hints import HintedHit

ENOUGH = 0.5
"""Least relevance of a fact that answers a question."""


@dataclass(frozen=True, slots=True)
class IterationSettings:
    """Limits of a search in rounds.

    Raises:
        InvalidQueryError: a number is below its minimum.
    """

    max_iterations: int = 3
    results_per_sub_query: int = 5
    max_seconds: float = 30.0
    """No round begins after this time."""
    max_tokens: int = 20_000
    """No round begins after models have used more tokens."""
    enough: float = ENOUGH
    """Least relevance, 0 to 1, of a fact that answers."""

    def __post_init__(self) -> None:
        for name, least in (("max_iterations", 1), ("results_per_sub_query", 1), ("max_seconds", 0), ("max_tokens", 0)):
            if getattr(self, name) < least:
                raise InvalidQueryError(f"{name} is {getattr(self, name)}; give at least {least}")


UNKNOWN = "Unknown"
"""Name of the category of a fact without one."""


@dataclass(frozen=True, slots=True)
class Fact:
    """A chunk that was found. Key: chunk id."""

    hinted: HintedHit
    sub_query: str
    """The sub-query that found it first."""
    iteration: int
    """1-based."""
    part: str
    """The question that it may answer, and that its relevance is measured for: the sub-query, or the one that it
    rewords."""


@dataclass(frozen=True, slots=True)
class IterationDecision:
    """The decision on the next round."""

    continue_iteration: bool
    next_sub_queries: tuple[str, ...] = ()
    category_focus: tuple[str, ...] = ()
    """Categories that are hinted at in the next round; empty: no hint."""
    reasoning: str = ""
    rewords: Mapping[str, str] = field(default_factory=dict)
    """The sub-query that a next sub-query rewords, if it is not a new one."""
    tokens: int = 0
    """Tokens that a model used."""


@dataclass(frozen=True, slots=True)
class Progress:
    """The state of the search before a decision."""

    original_query: str
    decomposition: Decomposition
    executed_queries: tuple[str, ...]
    facts: tuple[Fact, ...]
    current_iteration: int
    max_iterations: int

    @property
    def categories_explored(self) -> Mapping[str, int]:
        """Number of facts by category, the most frequent first."""
        return dict(Counter(fact.hinted.category or UNKNOWN for fact in self.facts).most_common())

    def best_of(self, sub_query: str) -> float:
        """Return the highest relevance of the facts found for a sub-query, in any wording; 0 if there are none."""
        return max((fact.hinted.relevance for fact in self.facts if fact.part == sub_query), default=0.0)


class Decider(Protocol):
    """Decides what the next round does."""

    def decide(self, progress: Progress) -> IterationDecision:
        """Return the decision on the next round.

        Raises:
            QueryAnalysisError: no decision can be made.
        """


@dataclass(frozen=True, slots=True)
class RuleDecider:
    """Continues while a sub-query has no fact that is relevant enough, with a different wording each time.

    The second round searches for the keywords of the sub-query, with hints at the categories of the facts so far. The
    third searches for the longer half of the keywords, without a hint.
    """

    enough: float = ENOUGH
    """Least relevance of a fact that answers; if relevance is calibrated, `answer` refuses below it."""

    def decide(self, progress: Progress) -> IterationDecision:
        """Return the decision on the next round."""
        parts, first = progress.decomposition.sub_queries, progress.current_iteration == 1
        open_ = [part for part in parts if progress.best_of(part) < self.enough]
        if not open_:
            return IterationDecision(False, reasoning="every sub-query has a fact that is relevant enough")
        keywords = progress.decomposition.search_keywords
        rewords = {_by_key_words(part, keywords, all_of_them=first): part for part in reversed(open_)}
        new = [text for text in reversed(rewords) if text and text not in progress.executed_queries]
        if not new:
            return IterationDecision(False, reasoning="what is open was asked in every way that is known")
        useful = [category for category in progress.categories_explored if category != UNKNOWN][:2]
        reasoning = f"{len(open_)} of {len(parts)} sub-queries have no fact that is relevant enough"
        return IterationDecision(True, tuple(new), tuple(useful) if first else (), reasoning, rewords)


def _by_key_words(sub_query: str, keywords: Sequence[str], *, all_of_them: bool) -> str:
    """Return the keywords of a sub-query, or the longer half of them, as a question."""
    terms = {word.text.casefold() for word in words(sub_query)}
    kept = [word for word in keywords if word.casefold() in terms]
    if not all_of_them:
        longest = sorted(kept, key=lambda word: (-len(word), word))[: (len(kept) + 1) // 2]
        kept = [word for word in kept if word in longest]
    return " ".join(kept)


SHOWN = 20
"""The number of latest facts that the model is shown."""
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
        """Return the decision on the next round.

        Raises:
            QueryAnalysisError: the model cannot be called, or its answer does not have the required form.
        """
        told = files(__package__).joinpath("prompt_rounds.txt").read_text("utf-8")
        answer, tokens = self.chat.ask(told, _shown(progress), ModelDecision)
        return IterationDecision(
            answer.continue_iteration,
            tuple(text for query in answer.next_sub_queries if (text := query.strip())),
            tuple(answer.category_focus),
            answer.reasoning,
            tokens=tokens,
        )


def _shown(progress: Progress) -> str:
    facts = [
        f"- [{fact.hinted.category or UNKNOWN}] {fact.hinted.hit.chunk.title}: {fact.hinted.hit.chunk.text[:_LONGEST]}"
        for fact in progress.facts[-SHOWN:]
    ]
    explored = ", ".join(f"{name}: {count}" for name, count in progress.categories_explored.items())
    return "\n".join(
        [
            f"Question: {progress.original_query}",
            "Searched for:",
            *(f"- {query}" for query in progress.executed_queries),
            f"Categories explored: {explored or 'none'}",
            f"Round: {progress.current_iteration} of {progress.max_iterations}",
            "Facts:",
            *(facts or ["(none)"]),
        ]
    )
