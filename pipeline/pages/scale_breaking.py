"""What one may want of a library of any size, and what is left to do where it is passed: `docs/scale.md`."""

from collections.abc import Iterator
from dataclasses import dataclass

from pipeline.bench.scale.forecast import Growth
from pipeline.pages import scale_cost as cost
from pipeline.pages.scale_cost import Two


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
