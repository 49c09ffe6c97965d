"""How often the conditions that questions state are given up, and which: the relaxation rate and its patterns."""

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
"""Questions that a pattern is shown with."""


@dataclass(frozen=True, slots=True)
class GivenUp:
    """One question whose conditions were given up, or some of them."""

    query: str
    dropped: tuple[str, ...]
    """The conditions, as the question says them."""
    left: int
    """Documents that meet what was kept."""


@dataclass(frozen=True, slots=True)
class Pattern:
    """One way of giving up. Key: (why, field)."""

    why: str
    field: str
    count: int
    """Questions."""
    examples: tuple[GivenUp, ...]
    """The first of them."""


@dataclass(frozen=True, slots=True)
class Relaxation:
    """What became of the conditions of some questions."""

    n_questions: int
    n_stating: int
    """Questions that state a condition."""
    n_relaxed: int
    """Those of them of which a condition was given up, so that something is found."""
    patterns: tuple[Pattern, ...]
    """The most frequent first, then by reason and field."""

    @property
    def rate(self) -> float | None:
        """Share of the questions with conditions that lost one; None where no question states one."""
        return self.n_relaxed / self.n_stating if self.n_stating else None


def relaxation_of(retriever: SelfQueryRetriever, queries: Iterable[str]) -> Relaxation:
    """Read every question and count the conditions that are given up. Nothing is searched."""
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
    """What became of the conditions of the questions behind an evaluation's headline.

    Times like `last month` go back from the last day that the documents have: with the clock the same snapshot would be
    another one tomorrow.
    """
    queries = {(row.set, row.split, row.question_id): row.query for row in evaluation.headline_rows()}
    if not queries:
        return Relaxation(0, 0, 0, ())
    self_query_retriever = SelfQueryRetriever(retriever, today=lambda: day)
    day = last_day(self_query_retriever.catalog)
    return relaxation_of(self_query_retriever, queries.values())


def relaxation_in(home: Home, evaluation: Evaluation) -> Relaxation:
    """The same on the snapshot of a home that was evaluated."""
    with open_snapshot(home.root, evaluation.snapshot) as snapshot:
        return relaxation(Retriever(snapshot, load_embedder(snapshot.manifest.embedder.name)), evaluation)


def last_day(catalog: Catalog) -> date:
    """The last date that any document has."""
    days = [date.min]
    for field in catalog.dates:
        for value in field.counts if field.kind == "date" else ():
            with suppress(ValueError):
                days.append(date.fromisoformat(str(value)[:10]))
    return max(days)
