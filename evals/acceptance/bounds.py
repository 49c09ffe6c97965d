"""What a score must reach: `mrr=0.85`."""

import math
from collections.abc import Mapping
from dataclasses import dataclass

from evals.errors import AcceptanceError
from evals.metric_table import Use, names, sign
from retrieval.errors import UnknownNameError

BOUNDED = names(Use.HEADLINE)


@dataclass(frozen=True, slots=True)
class Bound:
    """The least value of a metric of which more is better, the greatest of one of which less is better."""

    metric: str
    value: float

    @classmethod
    def parse(cls, text: str) -> "Bound":
        """Read `METRIC=NUMBER`.

        Raises:
            UnknownNameError: no metric of a whole strategy has this name.
            AcceptanceError: it is not of this form, or no score can be on both sides of the number.
        """
        metric, equals, number = (part.strip() for part in text.partition("="))
        if not equals:
            raise AcceptanceError(f"{text!r} is not a bound; write METRIC=NUMBER, like mrr=0.85")
        if metric not in BOUNDED:
            raise UnknownNameError("metric", metric, BOUNDED)
        try:
            value = float(number)
        except ValueError:
            value = math.nan
        least_is_share = sign(metric) > 0
        if not math.isfinite(value) or value < 0 or (least_is_share and value > 1):
            wanted = "a number from 0 to 1" if least_is_share else "a number that is not negative"
            raise AcceptanceError(f"{text!r}: {number!r} is not a bound of {metric}; write {wanted}")
        return cls(metric, value)

    def __str__(self) -> str:
        return f"{self.metric} {'at least' if sign(self.metric) > 0 else 'at most'} {self.value:g}"

    def holds(self, score: float | None) -> bool:
        """Whether a score reaches the bound; a score that is undefined does not."""
        return score is not None and sign(self.metric) * (score - self.value) >= 0


@dataclass(frozen=True, slots=True)
class Judged:
    """A bound and the score that it is about."""

    bound: Bound
    score: float | None
    """None: the metric says nothing about these questions."""

    @property
    def holds(self) -> bool:
        """Whether the score reaches the bound."""
        return self.bound.holds(self.score)


def judged(bounds: tuple[Bound, ...], headline: Mapping[str, float | None]) -> tuple[Judged, ...]:
    """Each bound with one strategy's score, in the order given."""
    return tuple(Judged(bound, headline.get(bound.metric)) for bound in bounds)
