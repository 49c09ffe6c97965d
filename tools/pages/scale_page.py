"""`docs/results/scale.md`, made from `docs/results/performance/*.json`: `python -m tools.pages.scale_page`.

A projection to ten million chunks. Every number is computed from the runs of `python -m tools bench scale`; the
remedies are written here.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import typer

from tools.bench.scale.page import GROWTH_FROM, GROWTH_TO, ROOT, RUNS, Growth, Measure, read_runs
from tools.bench.scale.report import ScaleReport

Two = tuple[ScaleReport, ScaleReport]
"""Runs of two sizes, the smaller first."""
SEARCHES = ("prefilter", "dense", "bm25", "hybrid", "default")
STAGES = ("embed", "files", "lexical", "evidence", "predicates", "regions", "graph")


_COSTS: Mapping[str, tuple[str, str, Measure]] = {
    # a snapshot on disk without what is Chroma's of it, and a build without the stages that are Chroma's
    "disk": ("disk", "MB", lambda run: run.megabytes["disk"] - run.megabytes["disk_chroma"]),
    "private": ("a reader's private memory", "MB", lambda run: run.megabytes["process_own"]),
    "mapped": ("a reader's mapped memory", "MB", lambda run: run.megabytes["process_mapped"]),
    "held": ("memory of a build", "MB", lambda run: run.megabytes["build"]),
    "build": ("first build, all stages", "s", lambda run: run.first_build()[0]),
}


def cost(two: Two, what: str) -> Growth:
    """A cost of `_COSTS` at both sizes."""
    name, unit, measure = _COSTS[what]
    return Growth.of(name, unit, two, measure)


def costs(two: Two) -> tuple[Growth, ...]:
    """Every cost that is carried on."""
    disk, *held, build = (cost(two, what) for what in _COSTS)
    return (disk, *held, *stages(two), build, *(search(two, name) for name in SEARCHES))


def stages(two: Two) -> tuple[Growth, ...]:
    """Every stage that both runs had, but Chroma's."""
    return tuple(stage(two, name) for name in STAGES if all(run.build_seconds.get(name) for run in two))


def stage(two: Two, name: str) -> Growth:
    """A stage of a build."""
    return Growth.of(f"build: {name}", "s", two, lambda run: run.build_seconds[name])


def search(two: Two, name: str) -> Growth:
    """The median of a way of searching."""
    return Growth.of(f"`{name}`, p50", "ms", two, lambda run: run.p50(name))


@dataclass(frozen=True, slots=True)
class Breaking:
    """A bound on a cost, and the remedy beyond it. Key: growth, bound."""

    growth: Growth
    bound: float
    said: str
    then: str


def breakings(two: Two) -> tuple[Breaking, ...]:
    """All bounds with their remedies."""
    return (
        *_breakings_of_memory(two),
        Breaking(
            search(two, "default"),
            250,
            "`default` takes a quarter of a second (p50)",
            "put books that are searched separately into separate homes, or use `prefilter`, whose time hardly grows",
        ),
        Breaking(
            search(two, "hybrid"),
            250,
            "`hybrid` takes a quarter of a second (p50)",
            "use `default`, which scores only candidates; `hybrid` scores every chunk",
        ),
        Breaking(
            cost(two, "build"),
            8 * 3600,
            "a first build takes a night of 8 hours",
            "put books that are searched separately into separate homes; the graph of the library (`build: graph`) "
            "grows faster than the library, and one process builds it",
        ),
        Breaking(
            cost(two, "disk"),
            100_000,
            "a snapshot takes 100 GB",
            "keep fewer snapshots (`querymust gc --keep 1`), or use a larger, fast disk: the files are mapped",
        ),
    )


def _breakings_of_memory(two: Two) -> Iterator[Breaking]:
    yield Breaking(
        cost(two, "mapped"),
        16_000,
        "a reader maps 16 GB",
        "use more memory, a faster disk, or separate homes for books that are searched separately; processes on one "
        "machine share the memory, and the system reads files that do not fit from disk again",
    )
    yield Breaking(
        cost(two, "private"), 1000, "a reader needs 1 GB of private memory", "use fewer processes or separate homes"
    )
    yield Breaking(
        cost(two, "held"),
        64_000,
        "a build holds 64 GB",
        "use a larger machine only for builds, which pushes to smaller readers, or use separate homes",
    )


PAGE = Path("docs") / "results" / "scale.md"
_THREE_MACHINES = Path(__file__).with_name("three_machines.md")
ON_PAPER = 10_000_000
DIMENSIONS = 256
HASHED, SENT = 1500.0, 125.0
"""Megabytes a second: what a machine hashes, and what a network of 1 Gbit/s carries."""

_HEAD = f"""\
# Ten million chunks: a projection

`python -m tools.pages.scale_page` writes this page from the files in `performance/`. Do not edit it by hand. The
largest library that was measured contains a million chunks ([performance](performance.md)). **Nothing on this page
was run with ten million chunks.** Each cost is extrapolated from the runs with {GROWTH_FROM:,} and {GROWTH_TO:,}
chunks:

- A cost that grew at most tenfold, as the library did, is extrapolated linearly: `cost + slope x 9,000,000`.
- A cost that grew faster is multiplied by the same factor again: `cost x factor`. These costs are marked *.

The rows are synthetic, the vectors have {DIMENSIONS} dimensions, and the machine had two cores. The costs do not
include Chroma's graphs, which [no search uses](../how-to/scaling.md#large-libraries).
"""


def scale_page(runs: Sequence[ScaleReport]) -> str:
    """The page as markdown.

    Raises:
        ValueError: there is no run at one of the two sizes.
    """
    sizes = {run.chunks: run for run in runs}
    if not {GROWTH_FROM, GROWTH_TO} <= set(sizes):
        raise ValueError(
            f"there are runs at {sorted(sizes)} chunks; run: python -m tools bench scale --chunks {GROWTH_TO}"
        )
    return "\n".join(_lines((sizes[GROWTH_FROM], sizes[GROWTH_TO]))) + "\n"


def _lines(two: Two) -> Iterator[str]:
    yield _HEAD
    yield from _table(costs(two))
    if any(run.load > run.cores for run in two):
        yield (
            f"\nThe machine had other load (load average {two[0].load:g} and {two[1].load:g} at the end), which "
            "increases seconds and milliseconds."
        )
    yield "\n## Parts\n"
    yield from _parts(two)
    yield "\n## Bounds\n"
    yield "The table shows the number of chunks at which a cost exceeds a typical bound, the smallest first.\n"
    yield "| chunks | bound | remedy |"
    yield "|---:|---|---|"
    result = [(breaking.growth.reaches(breaking.bound), breaking) for breaking in breakings(two)]
    for chunks, breaking in sorted(result, key=lambda pair: (pair[0] is None, pair[0] or 0, pair[1].said)):
        where = f"{float(f'{chunks:.2g}'):,.0f}" if chunks else "never"
        yield f"| {where} | {breaking.said} | {breaking.then} |"
    yield f"\n{_THREE_MACHINES.read_text(encoding='utf-8').rstrip()}"


def _table(growths: Sequence[Growth]) -> Iterator[str]:
    yield f"| cost | at {GROWTH_FROM:,} | at {GROWTH_TO:,} | factor | at {ON_PAPER:,} |"
    yield "|---|---:|---:|---:|---:|"
    for growth in growths:
        small, large = (f"{cost:,.1f} {growth.unit}" for cost in growth.costs)
        star = "*" if growth.steepens else ""
        factor, projected = f"{growth.factor:.1f}{star}", f"{growth.at(ON_PAPER):,.0f} {growth.unit}"
        yield f"| {growth.name} | {small} | {large} | {factor} | {projected} |"


def _parts(two: Two) -> Iterator[str]:
    disk, default = cost(two, "disk").at(ON_PAPER), search(two, "default")
    yield from _memory(two)
    yield f"- **Disk.** Each snapshot needs {disk / 1e3:.0f} GB, and a build needs space for one more snapshot."
    yield (
        f"- **Opening.** A process that opens the snapshot hashes {disk / 1e3:.0f} GB, which takes "
        f"{disk / HASHED:.0f} s at {HASHED:,.0f} MB a second."
    )
    yield (
        "- **Promotion.** A promotion replaces one pointer of 17 bytes. Before it, the gate searches for the test "
        f"questions of the home, which takes {default.at(ON_PAPER) / 1e3:.1f} s for each with `default`."
    )
    yield (
        f"- **Transfer.** Over 1 Gbit/s ({SENT:.0f} MB/s), a pull of {disk / 1e3:.0f} GB takes "
        f"{disk / SENT / 60:.0f} minutes. A push takes twice as long, because it reads back the files that it sent. "
        "Files with the right hash are not sent again."
    )
    hours = cost(two, "build").at(ON_PAPER) / 3600
    apart = sum(stage.at(ON_PAPER) for stage in stages(two))
    yield (
        f"- **First build.** A first build takes {hours:.1f} hours if it is extrapolated as a whole, and "
        f"{apart / 3600:.1f} hours if each stage is extrapolated alone. The graph of the library takes "
        f"{100 * stage(two, 'graph').at(ON_PAPER) / apart:.0f} % of the latter."
    )
    yield from _question(two)


def _memory(two: Two) -> Iterator[str]:
    own, mapped, build = cost(two, "private"), cost(two, "mapped"), cost(two, "held")
    yield (
        f"- **Memory.** A reader that answered every question in five ways has {own.costs[0]:,.0f} MB of private "
        "memory at "
        f"{GROWTH_FROM:,} chunks, {own.costs[1]:,.0f} at {GROWTH_TO:,}, and would have {own.at(ON_PAPER):,.0f} here. "
        f"The rest is mapped files, {mapped.at(ON_PAPER) / 1e3:,.0f} GB, which processes share and which the system "
        "evicts when it needs memory. Two of the files contain the vectors, by id and by "
        f"[region](../how-to/scaling.md#large-libraries). A build would hold {build.at(ON_PAPER) / 1e3:,.0f} GB at "
        "once, including the chunks and their vectors."
    )


def _question(two: Two) -> Iterator[str]:
    large = two[1]
    cpu = ", ".join(f"`{name}` {large.cpu_p50(name) / two[0].cpu_p50(name):.1f}" for name in ("prefilter", "default"))
    yield (
        "- **A question.** The time of a search that scores every chunk (`hybrid`) grows with the library. The time of "
        "a search over [candidates](../how-to/scaling.md#large-libraries) grows less. From "
        f"{GROWTH_FROM:,} to {GROWTH_TO:,} chunks, the processor time (p50) grows by these factors: {cpu}. Other load "
        "hardly affects them."
    )
    result = ", ".join(f"`{name}` {share:.1%}" for name, share in large.own_recall.items())
    yield f"- **Recall.** At {GROWTH_TO:,} chunks, the recall of the 15 nearest admitted chunks is {result}."


def main() -> None:
    """Write the page."""
    runs = read_runs(ROOT / RUNS)
    (ROOT / PAGE).write_text(scale_page(runs), "utf-8")
    typer.echo(f"{PAGE} made from {len(runs)} runs")


if __name__ == "__main__":
    main()
