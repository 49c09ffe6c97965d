"""`docs/scale.md`, made from `docs/performance/*.json`: `python -m tools.pages.scale_page`.

Ten million chunks on paper. Every number follows from the runs of `python -m tools bench scale`, so that it cannot go
stale; what to do about it is written here.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import typer

from tools.bench.scale.page import GROWTH_FROM, GROWTH_TO, ROOT, RUNS, Growth, read_runs
from tools.bench.scale.report import ScaleReport
from tools.pages import scale_cost as cost
from tools.pages.scale_cost import Two


@dataclass(frozen=True, slots=True)
class Breaking:
    """A bound that somebody would not want to pass, and what then. Key: growth, bound."""

    growth: Growth
    bound: float
    said: str
    then: str


def breakings(two: Two) -> tuple[Breaking, ...]:
    """What one may want, and what is left to do where it is passed."""
    return (
        *_breakings_of_memory(two),
        Breaking(
            cost.search(two, "default"),
            250,
            "`default` takes a quarter of a second (p50)",
            "let an engine find the candidates (`store`); the second look, at a few hundred, stays ours. How long "
            "both take together was not measured at this size. Or ask `prefilter`, which hardly grows",
        ),
        Breaking(
            cost.search(two, "hybrid"),
            250,
            "`hybrid` takes a quarter of a second (p50)",
            "it scores every chunk: ask `default`, which looks at a part, or have an engine find the candidates",
        ),
        Breaking(
            cost.build(two),
            8 * 3600,
            "a first build takes a night of 8 hours",
            "most of it is the graph of the library (`build: graph`), which grows faster than the library and is one "
            "process's work in each build; books that are asked apart can be homes apart",
        ),
        Breaking(
            cost.disk(two),
            100_000,
            "a snapshot takes 100 GB",
            "keep fewer (`querymust gc --keep 1`), or a larger disk; it is read by mapping, so a fast one",
        ),
    )


def _breakings_of_memory(two: Two) -> Iterator[Breaking]:
    yield Breaking(
        cost.mapped(two),
        16_000,
        "a reader maps 16 GB",
        "processes of one machine share it, and what does not fit is read from the disk again: more memory, a faster "
        "disk, or books that are asked apart as homes apart",
    )
    yield Breaking(
        cost.own(two), 1000, "a reader has 1 GB of its own", "each process more costs as much: fewer, or homes apart"
    )
    yield Breaking(
        cost.held_by_build(two),
        64_000,
        "a build holds 64 GB",
        "a larger machine for builds alone, which pushes to readers that need less; or homes apart",
    )


PAGE = Path("docs") / "scale.md"
_THREE_MACHINES = Path(__file__).with_name("three_machines.md")
ON_PAPER = 10_000_000
DIMENSIONS = 256
HASHED, SENT = 1500.0, 125.0
"""Megabytes a second: what a machine hashes, and what a network of 1 Gbit/s carries."""

_HEAD = f"""\
# Ten million chunks, on paper

Made by `python -m tools.pages.scale_page` from the files in [performance](performance); do not edit. The largest
library that was measured has a million chunks ([performance.md](performance.md)). **Nothing here was run at ten
million.** Each cost is carried on from the runs at {GROWTH_FROM:,} and {GROWTH_TO:,} chunks:

- by the line through both, `cost + slope x 9,000,000`, where it grew by no more than the library did (ten times);
- by the same factor once more, `cost x factor`, where it grew faster. Those are marked *.

The rows are synthetic, of {DIMENSIONS} dimensions, on two cores. Chroma's graphs are no part of it: a library of this
size [has none](operations.md#large-libraries).
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
    yield from _table(cost.costs(two))
    if any(run.load > run.cores for run in two):
        yield (
            f"\nOthers were at work on the machine (load average {two[0].load:g} and {two[1].load:g} at the end): "
            "seconds and milliseconds are more than on a quiet one."
        )
    yield "\n## What each part is\n"
    yield from _parts(two)
    yield "\n## What breaks first, and what then\n"
    yield "The chunks at which each cost passes what one may want of it, the fewest first.\n"
    yield "| at chunks | what | then |"
    yield "|---:|---|---|"
    found = [(each.growth.reaches(each.bound), each) for each in breakings(two)]
    for chunks, each in sorted(found, key=lambda pair: (pair[0] is None, pair[0] or 0, pair[1].said)):
        where = f"{float(f'{chunks:.2g}'):,.0f}" if chunks else "never"
        yield f"| {where} | {each.said} | {each.then} |"
    yield f"\n{_THREE_MACHINES.read_text(encoding='utf-8').rstrip()}"


def _table(growths: Sequence[Growth]) -> Iterator[str]:
    yield f"| cost | at {GROWTH_FROM:,} | at {GROWTH_TO:,} | factor | at {ON_PAPER:,} |"
    yield "|---|---:|---:|---:|---:|"
    for each in growths:
        small, large = (f"{cost:,.1f} {each.unit}" for cost in each.costs)
        star = "*" if each.steepens else ""
        yield f"| {each.name} | {small} | {large} | {each.factor:.1f}{star} | {each.at(ON_PAPER):,.0f} {each.unit} |"


def _parts(two: Two) -> Iterator[str]:
    disk, default = cost.disk(two).at(ON_PAPER), cost.search(two, "default")
    yield from _memory(two)
    yield f"- **Disk.** {disk / 1e3:.0f} GB a snapshot; a build needs room for one more."
    yield (
        f"- **Opening.** Hashes of these {disk / 1e3:.0f} GB, at {HASHED:,.0f} MB a second: {disk / HASHED:.0f} s "
        "whenever a process opens it."
    )
    yield (
        "- **Promotion.** One pointer of 17 bytes is replaced, whatever the size. The gate before it asks the "
        f"same questions as ever, at {default.at(ON_PAPER) / 1e3:.1f} s each for `default`."
    )
    yield (
        f"- **Travel.** {disk / 1e3:.0f} GB over 1 Gbit/s ({SENT:.0f} MB/s): {disk / SENT / 60:.0f} minutes to "
        "pull, twice that to push, for a push reads back what it sent. What is there with the right hash does not "
        "go again."
    )
    hours = cost.build(two).at(ON_PAPER) / 3600
    apart = sum(each.at(ON_PAPER) for each in cost.stages(two))
    yield (
        f"- **A first build.** {hours:.1f} hours as a whole, {apart / 3600:.1f} if each stage is carried on alone; "
        f"{100 * cost.stage(two, 'graph').at(ON_PAPER) / apart:.0f} % of these are the graph of the library."
    )
    yield from _question(two)


def _memory(two: Two) -> Iterator[str]:
    own, mapped, build = cost.own(two), cost.mapped(two), cost.held_by_build(two)
    yield (
        f"- **Memory.** A reader that was asked every question in five ways has {own.costs[0]:,.0f} MB of its own at "
        f"{GROWTH_FROM:,} chunks, {own.costs[1]:,.0f} at {GROWTH_TO:,}, and would have {own.at(ON_PAPER):,.0f} here. "
        f"All else is mapped files, {mapped.at(ON_PAPER) / 1e3:,.0f} GB: the system lets go of them when it needs "
        "room, and processes share them. The vectors are in two of them, by their ids and by their "
        f"[regions](operations.md#large-libraries). A build would hold {build.at(ON_PAPER) / 1e3:,.0f} GB at once, the "
        "chunks and their vectors among it."
    )


def _question(two: Two) -> Iterator[str]:
    large = two[1]
    cpu = ", ".join(f"`{name}` {large.cpu_p50(name) / two[0].cpu_p50(name):.1f}" for name in ("prefilter", "default"))
    yield (
        "- **A question.** What looks at every chunk grows with the library (`hybrid`); what looks at a "
        f"[part](operations.md#large-libraries) grows less. Of the processor's time ({GROWTH_TO:,} / {GROWTH_FROM:,}, "
        f"p50): {cpu}, which other work on the machine stretches least."
    )
    found = ", ".join(f"`{name}` {share:.1%}" for name, share in large.own_recall.items())
    yield (
        f"- **What a part misses.** At {GROWTH_TO:,}, of the true 15 nearest that may come back, found: {found}. "
        f"`default` has the first 5 hits of a ranking of all chunks to {large.same_first_few:.0%} of the "
        f"questions, the first 15 to {large.same_first:.0%}: others differ below the answer."
    )


def main() -> None:
    """Write the page."""
    runs = read_runs(ROOT / RUNS)
    (ROOT / PAGE).write_text(scale_page(runs), "utf-8")
    typer.echo(f"{PAGE} made from {len(runs)} runs")


if __name__ == "__main__":
    main()
