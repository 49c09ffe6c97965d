"""What the benchmark of questions with conditions found."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Latency:
    """Milliseconds of a question, and how many are answered in a second."""

    p50_ms: float
    p95_ms: float
    per_second: float


@dataclass(frozen=True, slots=True)
class ConditionsReport:
    """One run. Key: documents, questions, today."""

    questions: int
    documents: int
    today: str
    embedder: str
    macro_f1: float
    """Of the documents, mean over the questions that have conditions and no topic."""
    precision: float
    """Share of gold among as many documents as are gold, mean over the questions with a topic."""
    unfiltered: float
    """Of the questions that state no condition, the share of those that none was read in."""
    relaxation_rate: float
    """Of the questions that state conditions, the share of those that lost one."""
    at_once: int
    alone: Latency
    """One question after the other."""
    together: Latency
    """So many as `at_once` at the same moment, a thread each; a question's time includes its waiting."""
    cores: int
    python: str
    load: float
    """Load average of the machine when it was over: above `cores`, others were at work."""

    @classmethod
    def of(cls, values: Mapping[str, Any]) -> "ConditionsReport":
        """What `asdict` made of one."""
        return cls(**{**values, "alone": Latency(**values["alone"]), "together": Latency(**values["together"])})

    def lines(self) -> Iterator[str]:
        """Two markdown tables, and a sentence about the machine."""
        yield "| questions | macro F1, no topic | precision, with a topic | none read where none is | relaxation rate |"
        yield "|---:|---:|---:|---:|---:|"
        yield (
            f"| {self.questions} | {self.macro_f1:.3f} | {self.precision:.3f} | {self.unfiltered:.3f} "
            f"| {self.relaxation_rate:.3f} |"
        )
        yield ""
        yield "| asked | p50 ms | p95 ms | questions a second |"
        yield "|---|---:|---:|---:|"
        for name, each in (("one at a time", self.alone), (f"{self.at_once} at once", self.together)):
            yield f"| {name} | {each.p50_ms:.1f} | {each.p95_ms:.1f} | {each.per_second:.1f} |"
        one, many = self.alone, self.together
        yield (
            f"| ratio | {many.p50_ms / one.p50_ms:.1f} | {many.p95_ms / one.p95_ms:.1f} "
            f"| {many.per_second / one.per_second:.2f} |"
        )
        yield ""
        yield (
            f"{self.documents} documents, {self.today}, embedder {self.embedder}; {self.cores} cores, "
            f"Python {self.python}, load average at the end {self.load:g}."
        )
