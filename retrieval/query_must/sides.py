"""The two sides of a question that sets one thing against another: `a fighter (AC 3) vs a druid (AC 9)`."""

from collections.abc import Sequence
from dataclasses import dataclass

from retrieval.query_must.canonical.canonical import Canonical, canonical_term

LABELS = 2
"""Labels with a number that both sides must have: a side that says less may be about the other one's."""


@dataclass(frozen=True, slots=True)
class Sides:
    """Canonical text before and after the word that opposes, framed by blanks."""

    left: str
    right: str

    @classmethod
    def of(cls, question: Canonical) -> "Sides | None":
        """The sides of a question; None if it does not oppose just two, with the same labels on both.

        `4th level fighter (AC 3) vs 7th level druid (AC 9)` gives a level and an armor class on either side. `To hit
        AC 6 against undead as a 7th level cleric` does not, so nothing says whose the numbers are.
        """
        opposing = {canonical_term(word, question.vocabulary) for word in question.vocabulary.opposing_words}
        places = [place for place, token in enumerate(question.tokens) if token in opposing]
        if len(places) != 1:
            return None
        before, after = question.tokens[: places[0]], question.tokens[places[0] + 1 :]
        sides = cls(f" {' '.join(before)} ", f" {' '.join(after)} ")
        labels = {sides._labels(question, side) for side in (sides.left, sides.right)}
        return sides if len(labels) == 1 and len(labels.pop()) >= LABELS else None

    def parts(self, first: Sequence[str], second: Sequence[str]) -> bool:
        """Whether a term of one list is on one side, and one of the other list on the other. Terms are canonical."""
        ways = ((self.left, self.right), (self.right, self.left))
        return any(_says(one, first) and _says(other, second) for one, other in ways)

    @staticmethod
    def _labels(question: Canonical, side: str) -> frozenset[str]:
        bound = question.bound.items()
        return frozenset(name for name, values in bound if any(f" {name} {value:g} " in side for value in values))


def _says(side: str, terms: Sequence[str]) -> bool:
    return any(f" {term} " in side for term in terms if term)
