"""What a measured cost would be in a larger library: by the line or by the factor, whichever is more."""

from collections.abc import Callable
from dataclasses import dataclass
from math import log

from pipeline.bench.scale.report import ScaleReport

Measure = Callable[[ScaleReport], float]
_FARTHEST = 1e10
"""Chunks; what is not reached there is not reached."""


@dataclass(frozen=True, slots=True)
class Growth:
    """One cost at two sizes of a library. Key: name."""

    name: str
    unit: str
    sizes: tuple[int, int]
    """Chunks, the smaller library first."""
    costs: tuple[float, float]

    @classmethod
    def of(cls, name: str, unit: str, runs: tuple[ScaleReport, ScaleReport], measure: Measure) -> "Growth":
        """A cost of two runs, the smaller first."""
        small, large = runs
        return cls(name, unit, (small.chunks, large.chunks), (measure(small), measure(large)))

    @property
    def slope(self) -> float:
        """What each further chunk costs."""
        return (self.costs[1] - self.costs[0]) / (self.sizes[1] - self.sizes[0])

    @property
    def factor(self) -> float:
        """How many times as much the larger library costs."""
        return self.costs[1] / self.costs[0]

    @property
    def steepens(self) -> bool:
        """Whether it grows faster than the library: then the line would say too little."""
        return self.factor > self.sizes[1] / self.sizes[0]

    def at(self, chunks: float) -> float:
        """The cost of a library of so many chunks, more than the smaller had."""
        line = self.costs[1] + self.slope * (chunks - self.sizes[1])
        if chunks <= self.sizes[1] or not self.steepens:
            return line
        exponent = log(self.factor) / log(self.sizes[1] / self.sizes[0])
        return float(self.costs[1] * (chunks / self.sizes[1]) ** exponent)

    def reaches(self, bound: float) -> float | None:
        """The chunks at which the cost is `bound`; None where it never is."""
        low, high = float(self.sizes[0]), _FARTHEST
        if self.at(high) < bound:
            return None
        while high / low > 1.0001:
            middle = (low * high) ** 0.5
            low, high = (low, middle) if self.at(middle) >= bound else (middle, high)
        return high
