"""What a search in rounds has found, and its next step, decided by rules or by a model."""

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
"""Relevance of what answers a question."""


@dataclass(frozen=True, slots=True)
class IterationSettings:
    """How long a search in rounds may go on.

    Raises:
        InvalidQueryError: a number is less than its least.
    """

    max_iterations: int = 3
    results_per_sub_query: int = 5
    max_seconds: float = 30.0
    """No round begins later."""
    max_tokens: int = 20_000
    """No round begins after models were paid for more."""
    enough: float = ENOUGH
    """Relevance, 0 to 1, of a fact that answers."""

    def __post_init__(self) -> None:
        for name, least in (("max_iterations", 1), ("results_per_sub_query", 1), ("max_seconds", 0), ("max_tokens", 0)):
            if getattr(self, name) < least:
                raise InvalidQueryError(f"{name} is {getattr(self, name)}; give at least {least}")


UNKNOWN = "Unknown"
"""What the category of a fact without one is called."""


@dataclass(frozen=True, slots=True)
class Fact:
    """A chunk that was found. Key: chunk id."""

    hinted: HintedHit
    sub_query: str
    """That found it first."""
    iteration: int
    """1-based."""
    part: str
    """What it may answer, and what its relevance is measured for: the sub-query, or what that says in other words."""


@dataclass(frozen=True, slots=True)
class IterationDecision:
    """What comes next."""

    continue_iteration: bool
    next_sub_queries: tuple[str, ...] = ()
    category_focus: tuple[str, ...] = ()
    """Categories that are hinted at in the next round; none: no hint."""
    reasoning: str = ""
    rewords: Mapping[str, str] = field(default_factory=dict)
    """By next sub-query: the sub-query that it says in other words, where it is no new one."""
    tokens: int = 0
    """That a model was paid for."""


@dataclass(frozen=True, slots=True)
class Progress:
    """What is known before a decision."""

    original_query: str
    decomposition: Decomposition
    executed_queries: tuple[str, ...]
    facts: tuple[Fact, ...]
    current_iteration: int
    max_iterations: int

    @property
    def categories_explored(self) -> Mapping[str, int]:
        """Facts by category, the most frequent first."""
        return dict(Counter(fact.hinted.category or UNKNOWN for fact in self.facts).most_common())

    def best_of(self, sub_query: str) -> float:
        """The highest relevance among the facts that were found for a sub-query in whatever words; 0 without one."""
        return max((fact.hinted.relevance for fact in self.facts if fact.part == sub_query), default=0.0)


class Decider(Protocol):
    """Whoever decides."""

    def decide(self, progress: Progress) -> IterationDecision:
        """What comes next.

        Raises:
            QueryAnalysisError: it cannot be said.
        """


@dataclass(frozen=True, slots=True)
class RuleDecider:
    """Goes on while a sub-query has found nothing that is relevant enough, in other words each time.

    The second round asks by the key words of the sub-query, hints at the categories that facts came from, and the third
    asks by the longer half of them without a hint.
    """

    enough: float = ENOUGH
    """Relevance of a fact that answers: what `answer` refuses below, where relevance is calibrated."""

    def decide(self, progress: Progress) -> IterationDecision:
        """What comes next."""
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
    """The key words of a sub-query, or the longer half of them, as a question."""
    terms = {word.text.casefold() for word in words(sub_query)}
    kept = [word for word in keywords if word.casefold() in terms]
    if not all_of_them:
        longest = sorted(kept, key=lambda word: (-len(word), word))[: (len(kept) + 1) // 2]
        kept = [word for word in kept if word in longest]
    return " ".join(kept)


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
