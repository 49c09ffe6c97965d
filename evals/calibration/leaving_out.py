"""What a relevance is worth on a book that had no say in it."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from evals.calibration.examples import Put
from evals.calibration.fitting import fit
from evals.calibration.reliability import Floats, Reliability, reliability, share_above
from retrieval.rag.measures import NAMES

THRESHOLD = 0.6
"""The default of `retrieval.min_relevance`."""


@dataclass(frozen=True, slots=True)
class BookReliability:
    """People's questions to one book, or to several together. Key: book."""

    book: str
    reliability: Reliability
    met_answered: float | None
    """Share of the questions with an answer that meet the threshold."""
    n_near: int
    met_near: float | None
    """... of those about this book without an answer."""
    met_other: float | None
    """... of those about other books."""
    met_generated: float | None
    """... of generated questions with an answer, which are in no other number here."""


def left_out(examples: Sequence[Put], embedder: str, strategy: str, names: Sequence[str] = NAMES) -> Floats:
    """The relevance of every example, (n,), by what was fitted on neither questions to its book nor about it."""
    found = np.full(len(examples), np.nan)
    for book in sorted({each.book for each in examples}):
        others = [each for each in examples if book not in {each.book, each.source}]
        fitted = fit(others, embedder, strategy, names)
        at = [place for place, each in enumerate(examples) if each.book == book]
        values = np.asarray([examples[place].values for place in at])
        found[at] = [float(fitted.of(row[None, :])[0]) for row in values]
    return found


def by_book(examples: Sequence[Put], relevance: Floats, threshold: float = THRESHOLD) -> tuple[BookReliability, ...]:
    """One row a book that both kinds of people's questions were put to."""
    rows = []
    for book in sorted({each.book for each in examples}):
        at = [place for place, each in enumerate(examples) if each.book == book]
        row = of_books(book, [examples[place] for place in at], relevance[at], threshold)
        rows += [] if row is None else [row]
    return tuple(rows)


def of_books(name: str, examples: Sequence[Put], relevance: Floats, threshold: float) -> BookReliability | None:
    """All these examples together; None where people's questions are of one kind alone."""
    people = np.asarray([not each.generated for each in examples])
    answered = np.asarray([each.answered for each in examples])
    near = np.asarray([each.is_near_miss for each in examples])
    if not (people & answered).any() or not (people & ~answered).any():
        return None
    return BookReliability(
        name,
        reliability(relevance[people], answered[people]),
        share_above(relevance, people & answered, threshold),
        int((people & near).sum()),
        share_above(relevance, people & near, threshold),
        share_above(relevance, people & ~answered & ~near, threshold),
        share_above(relevance, ~people & answered, threshold),
    )
