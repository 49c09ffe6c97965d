"""Typical bounds for a library of any size, and the remedy beyond each: `docs/results/scale.md`."""

from collections.abc import Iterator
from dataclasses import dataclass

from pipeline.bench.scale.forecast import Growth
from pipeline.pages import scale_cost as cost
from pipeline.pages.scale_cost import Two


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
            cost.search(two, "default"),
            250,
            "`default` takes a quarter of a second (p50)",
            "take the candidates from an engine (`store`); re-ranking of a few hundred stays local. The time of both "
            "together was not measured at this size. Or use `prefilter`, which hardly grows",
        ),
        Breaking(
            cost.search(two, "hybrid"),
            250,
            "`hybrid` takes a quarter of a second (p50)",
            "it scores every chunk: use `default`, which scores candidates, or take the candidates from an engine",
        ),
        Breaking(
            cost.build(two),
            8 * 3600,
            "a first build takes a night of 8 hours",
            "the graph of the library (`build: graph`) grows faster than the library and one process builds it. Put "
            "books that are searched separately into separate homes",
        ),
        Breaking(
            cost.disk(two),
            100_000,
            "a snapshot takes 100 GB",
            "keep fewer snapshots (`querymust gc --keep 1`), or use a larger, fast disk: the files are mapped",
        ),
    )


def _breakings_of_memory(two: Two) -> Iterator[Breaking]:
    yield Breaking(
        cost.mapped(two),
        16_000,
        "a reader maps 16 GB",
        "processes of one machine share it, and what does not fit is read from disk again. Use more memory, a faster "
        "disk, or separate homes for books that are searched separately",
    )
    yield Breaking(cost.own(two), 1000, "a reader has 1 GB of private memory", "use fewer processes, or separate homes")
    yield Breaking(
        cost.held_by_build(two),
        64_000,
        "a build holds 64 GB",
        "use a larger machine for builds only, which pushes to smaller readers; or separate homes",
    )
