"""Costs at two sizes of a library, which `docs/results/scale.md` extrapolates."""

from tools.bench.scale.page import Growth
from tools.bench.scale.report import ScaleReport

Two = tuple[ScaleReport, ScaleReport]
"""Runs of two sizes, the smaller first."""
SEARCHES = ("prefilter", "dense", "bm25", "hybrid", "default")
STAGES = ("embed", "files", "lexical", "evidence", "predicates", "regions", "graph")


def costs(two: Two) -> tuple[Growth, ...]:
    """Every cost that is carried on."""
    held = (own(two), mapped(two), held_by_build(two))
    return (disk(two), *held, *stages(two), build(two), *(search(two, name) for name in SEARCHES))


def own(two: Two) -> Growth:
    """What a reader has of its own."""
    return Growth.of("a reader's private memory", "MB", two, lambda run: run.megabytes["process_own"])


def mapped(two: Two) -> Growth:
    """What a reader has mapped and touched."""
    return Growth.of("a reader's mapped memory", "MB", two, lambda run: run.megabytes["process_mapped"])


def held_by_build(two: Two) -> Growth:
    """The most that a build holds."""
    return Growth.of("memory of a build", "MB", two, lambda run: run.megabytes["build"])


def disk(two: Two) -> Growth:
    """A snapshot on disk, without what is Chroma's of it."""
    return Growth.of("disk", "MB", two, lambda run: run.megabytes["disk"] - run.megabytes["disk_chroma"])


def stages(two: Two) -> tuple[Growth, ...]:
    """Every stage that both runs had, but Chroma's."""
    return tuple(stage(two, name) for name in STAGES if all(run.build_seconds.get(name) for run in two))


def stage(two: Two, name: str) -> Growth:
    """A stage of a build."""
    return Growth.of(f"build: {name}", "s", two, lambda run: run.build_seconds[name])


def build(two: Two) -> Growth:
    """All stages of a build but Chroma's."""
    return Growth.of("first build, all stages", "s", two, lambda run: run.first_build()[0])


def search(two: Two, name: str) -> Growth:
    """The median of a way of searching."""
    return Growth.of(f"`{name}`, p50", "ms", two, lambda run: run.p50(name))
