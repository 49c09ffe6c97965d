"""`docs/results/performance.md` and its plot, made by `python -m tools.bench.scale.page`.

Each file of `docs/results/performance` is what `python -m tools bench scale --chunks N --json` printed.
"""

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import log
from pathlib import Path

import altair as alt
import typer
import vl_convert

from retrieval.files.records import parse_record
from tools.bench.scale.report import DEFAULT_OVER_PLAIN_LARGE, ScaleReport

WAYS: Mapping[str, str] = {
    "nin_loop": "#d6454b",
    "default": "#3b82c4",
    "hybrid": "#9068d0",
    "exact_scan": "#85807a",
    "prefilter": "#2a9550",
    "chroma_plain": "#14909c",
    "bm25": "#c2701a",
}
INK = "#808080"
"""Of the axes and their words."""
_WIDTH, _HEIGHT = 560, 380
_PADDING = {"left": 52, "right": 160, "top": 44, "bottom": 46}
_LABEL = 15
"""Height of a label in pixels, the space below it included."""
_TITLE = "Milliseconds of a question (median), by the number of chunks"


@dataclass(frozen=True, slots=True)
class Point:
    """One median. Key: (way, chunks)."""

    way: str
    chunks: int
    milliseconds: float


def plot(runs: Sequence[ScaleReport]) -> str:
    """The SVG; a line for each way of searching, named at its end with its time in the largest run that timed it."""
    svg: str = vl_convert.vegalite_to_svg(_chart(runs).to_dict(), vl_version=alt.SCHEMA_VERSION.rsplit(".", 1)[0])
    return svg.rstrip("\n") + "\n"


def apart(places: Mapping[str, float], gap: float) -> dict[str, float]:
    """Places on a line, moved up where two would be nearer than `gap`."""
    moved: dict[str, float] = {}
    last = -math.inf
    for name, position in sorted(places.items(), key=lambda entry: (entry[1], entry[0])):
        last = moved[name] = max(position, last + gap)
    return moved


def _chart(runs: Sequence[ScaleReport]) -> alt.LayerChart:
    points = [Point(name, run.chunks, run.p50(name)) for name in WAYS for run in runs if run.p50(name)]
    sizes = sorted({run.chunks for run in runs})
    times = [point.milliseconds for point in points]
    low, high = math.floor(math.log10(min(times))), math.ceil(math.log10(max(times)))
    x = alt.X("chunks:Q", title=None).scale(type="log", domain=[sizes[0], sizes[-1]], nice=False)
    y = alt.Y("milliseconds:Q", title=None).scale(type="log", domain=[10.0**low, 10.0**high], nice=False)
    colour = alt.Color("way:N", legend=None).scale(domain=list(WAYS), range=list(WAYS.values()))
    lines = (
        alt.Chart(_rows(points))
        .mark_line(strokeWidth=2, point=alt.OverlayMarkDef(size=36))
        .encode(
            x=x.axis(values=sizes, format=",d", grid=False),
            y=y.axis(values=_powers(low, high), format=",~g"),
            color=colour,
        )
    )
    ends = {point.way: point for point in points}  # a way that is not timed at the largest size ends before it
    places: dict[str, float] = {}
    for size in sizes:
        here = {name: math.log10(end.milliseconds) for name, end in ends.items() if end.chunks == size}
        places |= apart(here, (high - low) / _HEIGHT * _LABEL)
    labels = [
        {"way": name, "chunks": end.chunks, "milliseconds": 10 ** places[name], "said": _said(end)}
        for name, end in ends.items()
    ]
    names = (
        alt.Chart(alt.InlineData(values=labels))
        .mark_text(align="left", dx=10, fontSize=12, fontWeight=600)
        .encode(x=x, y=y, color=colour, text="said:N")
    )
    chart: alt.LayerChart = (
        alt.layer(lines, names)
        .properties(
            width=_WIDTH,
            height=_HEIGHT,
            padding=_PADDING,
            autosize="none",
            title=alt.TitleParams(_TITLE, anchor="start", frame="group", fontSize=13, offset=16, color=INK),
        )
        .configure(background="transparent", font="sans-serif")
        .configure_view(stroke=None)
        .configure_axis(
            labelColor=INK, labelFontSize=12, domainColor=INK, tickColor=INK, gridColor=INK, gridOpacity=0.25
        )
    )
    return chart


def _rows(points: Sequence[Point]) -> alt.InlineData:
    return alt.InlineData(
        values=[{"way": point.way, "chunks": point.chunks, "milliseconds": point.milliseconds} for point in points]
    )


def _powers(low: int, high: int) -> list[float]:
    return [10.0**power for power in range(low, high + 1)]


def _said(point: Point) -> str:
    digits = 0 if point.milliseconds >= 100 else 1
    return f"{point.way} {point.milliseconds:,.{digits}f} ms"


ROOT = Path(__file__).resolve().parents[3]
RUNS = Path("docs") / "results" / "performance"
PAGE, PLOT = Path("docs") / "results" / "performance.md", RUNS / "scale.svg"
GOALS_AT = 100_000
GROWTH_FROM, GROWTH_TO = 100_000, 1_000_000
GROWTH_BOUNDS = {"prefilter": 1.5, "default": 3.0}
"""So many times as long a strategy may take at most at the one size as at the other."""
OWN_MEMORY = 1000.0
"""Megabytes that a reader of the larger library may have of its own."""
LINEAR = ("exact_scan", "bm25_index", "hybrid", "default")

_HEAD = """\
# Performance

`python -m tools.bench.scale.page` writes this page from the files in `performance/`, which
`python -m tools bench scale --chunks N --json` printed. Do not edit it by hand.

The library is synthetic. Its tables have 20 near-duplicate rows each, and the vectors have 256 dimensions. In a fifth
of the tables (*strict tables*), the rows have a predicate that always requires its terms. In the other tables (*keyed
tables*), the row keys are numbers, and a row is excluded if the question names a sibling row. Half of the questions
name one row of a strict table, a quarter name two to four rows, and a quarter name one row of a keyed table. One
question in ten has a metadata filter. Each search gets the text of a question and returns the ids of 15 chunks. The
time of a question is the median of three passes.

- `chroma_plain` is one unfiltered query to one Chroma collection that contains all chunks.
- `nin_loop` is the published loop over that collection, with at most three rounds. `chroma_plain` and `nin_loop` run
  only up to 200,000 chunks, because a larger library has [no graphs](../how-to/scaling.md#large-libraries). Filling a
  larger collection takes longer than everything else; `--chroma` does it.
- `exact_scan` compares every vector and then applies the mask.
- `bm25_index`, `bm25s` and `rank_bm25` are three lexical indexes alone, on the same tokens.
- The other names are [strategies](../reference/cli.md#strategies). `dense` and `prefilter` compare every vector up to
  32,768 chunks, and search [regions](../how-to/scaling.md#large-libraries) of a larger library.
- *Starved* counts questions with fewer than 15 results although more exist.
- *CPU ms* is the processor time of a question over all threads. Other load on the machine (the load average)
  increases the wall time, especially that of long questions.
"""


def read_runs(folder: Path) -> tuple[ScaleReport, ...]:
    """The runs of a folder, smallest library first."""
    runs = (parse_record(path.read_bytes(), ScaleReport) for path in folder.glob("*.json"))
    return tuple(sorted(runs, key=lambda run: run.chunks))


def performance_page(runs: Sequence[ScaleReport]) -> str:
    """The page as markdown."""
    return "\n".join(_lines(runs)) + "\n"


def _lines(runs: Sequence[ScaleReport]) -> Iterator[str]:
    yield _HEAD
    yield f"![Median milliseconds of a question by chunks]({PLOT.relative_to(PAGE.parent).as_posix()})"
    for run in runs:
        if run.chunks == GOALS_AT:
            yield "\n## Targets\n"
            yield from run.goal_lines()
    yield "\n## Growth\n"
    yield from _growth(runs)
    yield "\n## Memory, disk and builds\n"
    yield from _sizes(runs)
    for run in reversed(runs):
        yield f"\n## {run.chunks:,} chunks\n"
        yield from _run(run)


def _growth(runs: Sequence[ScaleReport]) -> Iterator[str]:
    first, last = runs[0], runs[-1]
    sizes = {run.chunks: run for run in runs}
    if GROWTH_FROM in sizes and GROWTH_TO in sizes:
        yield from _growth_goals(sizes[GROWTH_FROM], sizes[GROWTH_TO])
    yield (
        "The time of a search that scores every chunk grows with the library. "
        f"The table shows the additional microseconds for each thousand chunks, between {first.chunks:,} and "
        f"{last.chunks:,} chunks:\n"
    )
    yield "| search | microseconds for 1,000 chunks |"
    yield "|---|---:|"
    for name in LINEAR:
        slope = (last.p50(name) - first.p50(name)) / max(last.chunks - first.chunks, 1) * 1e6
        yield f"| {name} | {slope:.1f} |"


def _growth_goals(small: ScaleReport, large: ScaleReport) -> Iterator[str]:
    yield f"| {GROWTH_TO:,} / {GROWTH_FROM:,} chunks | p50 | p50 of CPU | bound of p50 | |"
    yield "|---|---:|---:|---:|---|"
    for name, bound in GROWTH_BOUNDS.items():
        times = large.p50(name) / small.p50(name)
        cpu = f"{large.cpu_p50(name) / small.cpu_p50(name):.2f}" if small.cpu_p50(name) else ""
        yield f"| {name} | {times:.2f} | {cpu} | under {bound:g} | {_verdict(times < bound)} |"
    if large.has_chroma:
        yield f"| chroma_plain | {large.p50('chroma_plain') / small.p50('chroma_plain'):.2f} | | | |"
        goal = large.default_goal()
        yield f"| {goal.name}, at {GROWTH_TO:,} | {goal.measured:.2f} | | {goal.bound} | {_verdict(goal.reached)} |"
    elif small.has_chroma:
        times = large.p50("default") / small.p50("chroma_plain")
        reached = _verdict(times < DEFAULT_OVER_PLAIN_LARGE)
        name = f"default at {GROWTH_TO:,} / chroma_plain at {GROWTH_FROM:,}"
        yield f"| {name} | {times:.2f} | | under {DEFAULT_OVER_PLAIN_LARGE:g} | {reached} |"
    own = large.megabytes["process_own"]
    reached = _verdict(own < OWN_MEMORY)
    yield (
        f"\nA reader of {GROWTH_TO:,} chunks has {own:,.0f} MB of private memory (bound: {OWN_MEMORY:,.0f}): {reached}."
    )
    yield ""


def _verdict(reached: bool) -> str:
    return "yes" if reached else "**no**"


def _sizes(runs: Sequence[ScaleReport]) -> Iterator[str]:
    yield (
        "Memory and disk are in megabytes. A reader is a new process that answered every question in five ways. Mapped "
        "memory contains files, which processes share and which the system evicts when it needs memory. A build also "
        "holds the library and its vectors. Seconds are wall time with the load average below.\n"
    )
    yield (
        "| chunks | reader | private | mapped | build, peak | disk | of it Chroma | first build, s | Chroma graphs, s |"
    )
    yield "|---:|---:|---:|---:|---:|---:|---:|---:|---:|"
    for run in runs:
        ours, chroma = run.first_build()
        held = [run.megabytes.get(name) for name in ("process_searching", "process_own", "process_mapped", "build")]
        numbers = [*held, run.megabytes["disk"], run.megabytes["disk_chroma"], ours, chroma]
        cells = " | ".join("" if number is None else f"{number:,.0f}" for number in numbers)
        yield f"| {run.chunks:,} | {cells} |"


def _run(run: ScaleReport) -> Iterator[str]:
    yield (
        f"{run.guarded:,} of the chunks have a predicate that always requires its terms. A question admits "
        f"{run.admitted_p50:g} of these chunks (median). "
        f"The run used {run.questions} questions, and {run.questions_of_slow_ways} for the slow searches (`nin_loop`, "
        "`rank_bm25`), with "
        f"seed {run.seed}, {run.cores} cores and Python {run.python}. The load average at the end was {run.load:g}.\n"
    )
    if run.ann_recall is not None:
        yield f"The ANN recall at 15 is {run.ann_recall:.4f}. Rounds of `nin_loop`: {_listed(run.rounds)}.\n"
    yield f"For {run.keeping_out} of the questions, the filter excludes rows of keyed tables.\n"
    yield from run.times()
    yield f"\nSeconds of the build by stage: {_named(run.build_seconds)}."
    yield f"CPU seconds: {_named(run.build_cpu_seconds)}."
    result = ", ".join(f"`{name}` {recall:.4f}" for name, recall in run.own_recall.items())
    yield f"The recall of the 15 nearest admitted chunks is {result}."


def _named(seconds: Mapping[str, float]) -> str:
    return ", ".join(f"{name} {value:.1f}" for name, value in seconds.items())


def _listed(rounds: Mapping[str, int]) -> str:
    return ", ".join(f"{count} for {questions} questions" for count, questions in rounds.items())


def main() -> None:
    """Write the page and its plot."""
    runs = read_runs(ROOT / RUNS)
    (ROOT / PAGE).write_text(performance_page(runs), "utf-8")
    (ROOT / PLOT).write_text(plot(runs), "utf-8")
    typer.echo(f"{PAGE} made from {len(runs)} runs")


if __name__ == "__main__":
    main()


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
