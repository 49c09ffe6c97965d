"""What every operator comes down to: groups of atoms. All groups must hold; a group holds if one of its atoms does.

This normal form is what the compiled index stores and what a receipt names.
"""

import json
from dataclasses import dataclass
from math import inf
from typing import Any

from retrieval.query_must.canonical.canonical import Canonical
from retrieval.query_must.vocabulary.vocabulary import Vocabulary


@dataclass(frozen=True, slots=True)
class Term:
    """Holds if this canonical term is in the question."""

    text: str

    def holds(self, question: Canonical) -> bool:
        """Whether the question says the term."""
        return question.has_canonical(self.text)


@dataclass(frozen=True, slots=True)
class Range:
    """Holds if a number of the question lies in [low, high], both ends included."""

    low: float = -inf
    high: float = inf
    labels: tuple[str, ...] | None = None
    """Canonical labels to one of which the number must be bound; None takes any free number."""

    def holds(self, question: Canonical) -> bool:
        """Whether the question has such a number, or opens an interval that reaches in here."""
        if self.labels is None:
            return any(self.low <= number <= self.high for number in question.free_numbers)
        bound = (number for label in self.labels for number in question.bound.get(label, ()))
        return any(self.low <= number <= self.high for number in bound) or any(
            span.label in self.labels and span.low <= self.high and self.low <= span.high for span in question.intervals
        )


Atom = Term | Range


@dataclass(frozen=True, slots=True)
class Group:
    """Atoms of which one must hold."""

    atoms: tuple[Atom, ...]
    written: Any
    """The JSON value that the predicate writes for it."""

    @property
    def source(self) -> str:
        """The group as the predicate writes it, for the receipt."""
        return json.dumps(self.written, ensure_ascii=False, default=str)

    def holds(self, question: Canonical) -> bool:
        """Whether one atom holds."""
        return any(atom.holds(question) for atom in self.atoms)


def canonical_label(name: str, vocabulary: Vocabulary) -> str:
    """Return the canonical name of a label, or the name itself where the vocabulary has none: nothing binds to it."""
    label = vocabulary.label(name)
    return label.name if label else name
