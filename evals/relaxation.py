"""How often, and which, conditions stated by questions are dropped: the relaxation rate and its patterns."""

import asyncio
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass
from datetime import date

from evals.evaluation import Evaluation
from retrieval.home import Home
from retrieval.index.embedding.embedders import load_embedder
from retrieval.index.snapshot.snapshot import open_snapshot
from retrieval.search.retriever import Retriever
from retrieval.understand.catalog.catalog import Catalog
from retrieval.understand.self_query.retriever import SelfQueryRetriever

EXAMPLES = 3
"""Number of example questions shown with each pattern."""


@dataclass(frozen=True, slots=True)
class GivenUp:
    """One question some or all of whose conditions were dropped."""

    query: str
    dropped: tuple[str, ...]
    """The dropped conditions, in the words of the question."""
    left: int
    """Number of documents that meet the remaining conditions."""


@dataclass(frozen=True, slots=True)
class Pattern:
    """One way in which conditions were dropped. Key: (why, field)."""

    why: str
    field: str
    count: int
    """Number of questions."""
    examples: tuple[GivenUp, ...]
    """The first `EXAMPLES` of these questions."""


@dataclass(frozen=True, slots=True)
class Relaxation:
    """How many of some questions state conditions, and how many had conditions dropped."""

    n_questions: int
    n_stating: int
    """Number of questions that state a condition."""
    n_relaxed: int
    """Number of questions that had a condition dropped so that something is found."""
    patterns: tuple[Pattern, ...]
    """The most frequent first, then by reason and field."""

    @property
    def rate(self) -> float | None:
        """The share of the questions with conditions that lost one; None if no question states one."""
        return self.n_relaxed / self.n_stating if self.n_stating else None


def relaxation_of(retriever: SelfQueryRetriever, queries: Iterable[str]) -> Relaxation:
    """Read every question and count the conditions that are dropped, without searching."""
    n_questions = n_stating = n_relaxed = 0
    given_up: dict[tuple[str, str], list[GivenUp]] = {}
    for query in queries:
        understood = asyncio.run(retriever.understand(query))
        steps = [step for step in understood.fallbacks if step.dropped]
        n_questions += 1
        n_stating += bool(steps or understood.conditions)
        n_relaxed += bool(steps)
        dropped_fields = dict.fromkeys((step.trigger.value, name) for step in steps for name in step.fields)
        dropped = tuple(text for step in steps for text in step.dropped)
        for pattern in dropped_fields:
            given_up.setdefault(pattern, []).append(GivenUp(query, dropped, len(understood.documents)))
    ordered = sorted(given_up, key=lambda pattern: (-len(given_up[pattern]), pattern))
    patterns = tuple(Pattern(*key, len(given_up[key]), tuple(given_up[key][:EXAMPLES])) for key in ordered)
    return Relaxation(n_questions, n_stating, n_relaxed, patterns)


def relaxation(retriever: Retriever, evaluation: Evaluation) -> Relaxation:
    """Return the relaxation of the questions behind an evaluation's headline.

    Times such as `last month` are relative to the last date in the documents: relative to the clock, the same snapshot
    would give another result tomorrow.
    """
    queries = {(row.set, row.split, row.question_id): row.query for row in evaluation.headline_rows()}
    if not queries:
        return Relaxation(0, 0, 0, ())
    self_query_retriever = SelfQueryRetriever(retriever, today=lambda: day)
    day = last_day(self_query_retriever.catalog)
    return relaxation_of(self_query_retriever, queries.values())


def relaxation_in(home: Home, evaluation: Evaluation) -> Relaxation:
    """Return `relaxation` on the evaluated snapshot of a home."""
    with open_snapshot(home.root, evaluation.snapshot) as snapshot:
        return relaxation(Retriever(snapshot, load_embedder(snapshot.manifest.embedder.name)), evaluation)


def last_day(catalog: Catalog) -> date:
    """Return the last date that any document has; `date.min` if there is none."""
    days = [date.min]
    for field in catalog.dates:
        for value in field.counts if field.kind == "date" else ():
            with suppress(ValueError):
                days.append(date.fromisoformat(str(value)[:10]))
    return max(days)
