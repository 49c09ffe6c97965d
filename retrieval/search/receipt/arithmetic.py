"""A score as a sum that a person can check: value x weight of each part, in numbers that add up to what is shown."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from retrieval.types import Addend

DIGITS = 4
"""After the point, in values, weights, contributions and scores."""


@dataclass(frozen=True, slots=True)
class Sum:
    """A score and its addends."""

    score: float
    addends: Sequence[Addend]
    measured: Mapping[str, float]
    """The parts before they were scaled, as `Hit.evidence` has them."""

    def line(self) -> str:
        """On one line; what adds nothing is left out."""
        terms = (
            f"{_number(each.contribution)} {each.name} ({_number(each.value)} x {_number(each.weight)})"
            for each in self._counting()
        )
        return f"{_number(self.score)} = {' + '.join(terms) or '0'}"

    def lines(self) -> tuple[str, ...]:
        """A line for each addend, then the sum, then what adds nothing."""
        counting = self._counting()
        width = max((len(each.name) for each in counting), default=0)
        width = max(width, len("sum"))
        silent = ", ".join(each.name for each in self.addends if each not in counting)
        rows = [
            f"{each.name:<{width}}  {_number(each.value):>8} x {_number(each.weight):>7} = "
            f"{_number(each.contribution):>8}{self._before_scaling(each)}"
            for each in counting
        ]
        rows.append(f"{'sum':<{width}}  {'= ':>20}{_number(self.score):>8}")
        return (*rows, f"nothing from {silent}") if silent else tuple(rows)

    def _counting(self) -> list[Addend]:
        return [each for each in self.addends if each.contribution]

    def _before_scaling(self, addend: Addend) -> str:
        raw = self.measured.get(addend.name, addend.value)
        return "" if _number(raw) == _number(addend.value) else f"  (measured {_number(raw)}, then scaled)"


def _number(value: float) -> str:
    return f"{value:.{DIGITS}f}"
