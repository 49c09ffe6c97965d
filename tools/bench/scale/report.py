"""What one run of the scale benchmark found, and what it is held to."""

from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass

DEFAULT_OVER_PLAIN, DEFAULT_OVER_PLAIN_LARGE, LARGE = 4.0, 8.0, 1_000_000
"""`default` is to take less than so many times as long as a plain query, and in a library of `LARGE` chunks or more."""

_OF_CHROMA = ("collections", "probing")


@dataclass(frozen=True, slots=True)
class Timing:
    """How long one way of searching takes for a question. Key: name."""

    name: str
    p50_ms: float
    p95_ms: float
    ratio: float | None
    """p50 as a multiple of `chroma_plain`; None where that was not timed."""
    starved: int
    """Questions with fewer than k results though more exist."""
    cpu_p50_ms: float
    """Of the processor: what else the machine did stretches it less."""


@dataclass(frozen=True, slots=True)
class Goal:
    """One line of what is to be reached at 100,000 chunks."""

    name: str
    measured: float
    bound: str
    reached: bool


@dataclass(frozen=True, slots=True)
class ScaleReport:
    """One run. Key: (chunks, seed)."""

    chunks: int
    guarded: int
    seed: int
    cores: int
    python: str
    load: float
    """Load average of the machine when it was over: above the one core that this needs, others were at work."""
    questions: int
    questions_of_slow_ways: int
    """nin_loop and rank_bm25."""
    filtered_questions: int
    """Those with a metadata filter."""
    admitted_p50: float
    """Guarded chunks that a question admits, median."""
    rounds: Mapping[str, int]
    """Questions by the rounds that the published loop needs; none where it was not asked."""
    overhead_ms: Mapping[str, float]
    """Median of prefilter's time less a plain query's, by the rounds that the loop needs for the question."""
    ann_recall: float | None
    """Share of the true 15 nearest that a plain query finds, ties counted as found; None where none was asked."""
    build_seconds: Mapping[str, float]
    megabytes: Mapping[str, float]
    """`disk` of a snapshot and of Chroma's collections, `disk_chroma` of these; `process` with the embedder loaded, and
    when it has searched `process_searching`, of which `process_own` is its alone and `process_mapped` files; `build`
    at most."""
    timings: tuple[Timing, ...]
    keeping_out: int
    """Questions that keep rows of keyed tables out because they name others."""
    own_recall: Mapping[str, float]
    """Share of the true 15 nearest, of what may come back, that a strategy finds."""
    build_cpu_seconds: Mapping[str, float]
    """Of the processor, by the same stages."""

    def p50(self, name: str) -> float:
        """Median milliseconds of one way; 0 where it was not measured."""
        return next((timing.p50_ms for timing in self.timings if timing.name == name), 0.0)

    def cpu_p50(self, name: str) -> float:
        """The same of the processor's milliseconds."""
        return next((timing.cpu_p50_ms for timing in self.timings if timing.name == name), 0.0)

    @property
    def has_chroma(self) -> bool:
        """Whether Chroma itself was timed."""
        return self.p50("chroma_plain") > 0

    def first_build(self) -> tuple[float, float]:
        """Seconds of all stages but those that are Chroma's, and of Chroma's."""
        chroma = sum(self.build_seconds.get(name, 0.0) for name in _OF_CHROMA)
        return sum(self.build_seconds.values()) - chroma, chroma

    def goals(self) -> tuple[Goal, ...]:
        """What was to be reached, and what was."""
        return tuple(self._goals())

    def _goals(self) -> Iterator[Goal]:
        starved = {timing.name: timing.starved for timing in self.timings}
        if self.has_chroma:
            yield self._below("prefilter / chroma_plain", self._over("prefilter", "chroma_plain"), 1.5)
        if self.p50("nin_loop, three rounds"):
            slower = self._over("nin_loop, three rounds", "prefilter, those questions")
            yield Goal("nin_loop / prefilter, where three rounds are needed", slower, "over 50", slower > 50)
        yield Goal("starved questions, prefilter", starved["prefilter"], "0", not starved["prefilter"])
        yield self._below("bm25 / bm25s", self._over("bm25_index", "bm25s"), 1.1)
        faster = self._over("rank_bm25", "bm25_index")
        yield Goal("rank_bm25 / bm25", faster, "over 100", faster > 100)
        if self.has_chroma:
            yield self.default_goal()
        for rounds, milliseconds in self.overhead_ms.items():
            yield self._below(f"overhead where {rounds} rounds are needed, ms", milliseconds, 10)
        if self.ann_recall is not None:
            yield Goal("ANN recall at 15", self.ann_recall, "at least 0.99", self.ann_recall >= 0.99)
        for name, recall in self.own_recall.items():
            yield Goal(f"{name}, recall at 15", recall, "at least 0.99", recall >= 0.99)

    def default_goal(self) -> Goal:
        """How many times a plain query `default` may take; a larger library may cost it more."""
        bound = DEFAULT_OVER_PLAIN if self.chunks < LARGE else DEFAULT_OVER_PLAIN_LARGE
        return self._below("default / chroma_plain", self._over("default", "chroma_plain"), bound)

    def _over(self, one: str, other: str) -> float:
        return self.p50(one) / max(self.p50(other), 1e-9)

    @staticmethod
    def _below(name: str, measured: float, bound: float) -> Goal:
        return Goal(name, measured, f"under {bound:g}", measured < bound)

    def lines(self) -> tuple[str, ...]:
        """For a person to read: the facts, then markdown tables of the times and the goals."""
        facts = {name: value for name, value in asdict(self).items() if name != "timings"}
        return (*(f"{name}: {value}" for name, value in facts.items()), "", *self.times(), "", *self.goal_lines())

    def times(self) -> Iterator[str]:
        """A markdown table, a line a way."""
        yield "| search | p50 ms | p95 ms | p50 of CPU ms | times chroma_plain | starved |"
        yield "|---|---:|---:|---:|---:|---:|"
        for timing in self.timings:
            times = "" if timing.ratio is None else f"{timing.ratio:.2f}"
            shown = (
                f"{timing.p50_ms:.2f}",
                f"{timing.p95_ms:.2f}",
                f"{timing.cpu_p50_ms:.2f}",
                times,
                str(timing.starved),
            )
            yield f"| {timing.name} | {' | '.join(shown)} |"

    def goal_lines(self) -> Iterator[str]:
        """A markdown table, a line a goal."""
        yield "| to be reached at 100,000 | measured | bound | |"
        yield "|---|---:|---:|---|"
        for goal in self.goals():
            yield f"| {goal.name} | {goal.measured:.2f} | {goal.bound} | {'yes' if goal.reached else '**no**'} |"
