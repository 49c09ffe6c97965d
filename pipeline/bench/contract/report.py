"""What one run of the contract's benchmark found."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

_COLUMNS = (
    "library",
    "questions",
    "answered",
    "p50 ms",
    "p95 ms",
    "plain Chroma, p50 ms",
    "ratio",
    "kept answer, p50 ms",
    "ratio to a new one",
)


@dataclass(frozen=True, slots=True)
class ContractTiming:
    """How long the contract takes over one library; times are milliseconds a question. Key: name."""

    name: str
    chunks: int
    questions: int
    answered: int
    """Questions to which a chunk is returned; the others take as long."""
    p50_ms: float
    p95_ms: float
    plain_p50_ms: float
    """One unfiltered Chroma query for as many chunks to one collection of the same vectors, the embedding of the
    question included."""
    plain_p95_ms: float
    kept_p50_ms: float
    """The same question of the same conversation once more."""

    @property
    def over_plain(self) -> float:
        """An answer as a multiple of a plain query, medians."""
        return self.p50_ms / self.plain_p50_ms

    @property
    def kept_over_new(self) -> float:
        """A kept answer as a share of a new one, medians."""
        return self.kept_p50_ms / self.p50_ms


@dataclass(frozen=True, slots=True)
class ContractReport:
    """One run. Key: seed, and the sizes of the libraries."""

    seed: int
    cores: int
    python: str
    load: float
    """Load average of the machine when it was over: above the one core that this needs, others were at work."""
    timings: tuple[ContractTiming, ...]

    @classmethod
    def of(cls, values: Mapping[str, Any]) -> "ContractReport":
        """What `asdict` made of one."""
        return cls(**{**values, "timings": tuple(ContractTiming(**each) for each in values["timings"])})

    def lines(self) -> Iterator[str]:
        """A markdown table, a line for each library, and a sentence about the machine."""
        yield f"| {' | '.join(_COLUMNS)} |"
        yield "|---|" + "---:|" * (len(_COLUMNS) - 1)
        for each in self.timings:
            yield (
                f"| {each.name} | {each.questions} | {each.answered} | {each.p50_ms:.2f} | {each.p95_ms:.2f} "
                f"| {each.plain_p50_ms:.2f} | {each.over_plain:.2f} | {each.kept_p50_ms:.3f} "
                f"| {each.kept_over_new:.3f} |"
            )
        yield ""
        yield f"Seed {self.seed}, {self.cores} cores, Python {self.python}; load average at the end {self.load:g}."
