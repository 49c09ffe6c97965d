"""What one run of the load found."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

Kind = Literal["search", "answer"]
"""A search, or an answer that is read to the last of its events."""
_SHOWN = 5
"""Errors that are named."""


@dataclass(frozen=True, slots=True)
class Request:
    """One request of one client."""

    kind: Kind
    milliseconds: float
    """Until its last byte came."""
    snapshot: str = ""
    """Id of the index that answered."""
    error: str = ""
    """What was wrong with it; empty if nothing."""


@dataclass(frozen=True, slots=True)
class KindTiming:
    """Requests of one kind; milliseconds until the last byte. Key: kind."""

    kind: Kind
    requests: int
    p50_ms: float
    p95_ms: float
    max_ms: float


@dataclass(frozen=True, slots=True)
class ServerRun:
    """One server under load. Key: processes."""

    processes: int
    requests: int
    errors: int
    first_errors: tuple[str, ...]
    requests_per_second: float
    promoted: int
    """Indexes that went live meanwhile."""
    indexes: int
    """How many answered; two take turns at being live."""
    kinds: tuple[KindTiming, ...]

    @classmethod
    def of(cls, processes: int, requests: Sequence[Request], seconds: float, promoted: int) -> "ServerRun":
        """The numbers of what clients saw in so many seconds."""
        errors = [each.error for each in requests if each.error]
        kinds = (_timing(kind, [each for each in requests if each.kind == kind]) for kind in ("search", "answer"))
        return cls(
            processes,
            len(requests),
            len(errors),
            tuple(dict.fromkeys(errors))[:_SHOWN],
            round(len(requests) / seconds, 1),
            promoted,
            len({each.snapshot for each in requests if each.snapshot}),
            tuple(each for each in kinds if each is not None),
        )


@dataclass(frozen=True, slots=True)
class LoadReport:
    """Servers with different numbers of processes, one after the other, over the same index."""

    cores: int
    python: str
    load_average: float
    """Of this machine in the minute before."""
    chunks: int
    clients: int
    seconds: float
    runs: tuple[ServerRun, ...]

    @property
    def sound(self) -> bool:
        """Whether every request was answered."""
        return not any(run.errors for run in self.runs)

    def lines(self) -> Iterator[str]:
        """For a person to read."""
        yield (
            f"{self.clients} clients for {self.seconds:g} s, {self.chunks:,} chunks, {self.cores} cores, "
            f"Python {self.python}, load {self.load_average} before"
        )
        for run in self.runs:
            noun = "process" if run.processes == 1 else "processes"
            yield (
                f"{run.processes} {noun}: {run.requests:,} requests, {run.errors} errors, "
                f"{run.requests_per_second:g} a second; promotions: {run.promoted}, "
                f"indexes that answered: {run.indexes}"
            )
            for each in run.kinds:
                yield (
                    f"  {each.kind:<7} {each.requests:>6,}  p50 {each.p50_ms:,.0f} ms, p95 {each.p95_ms:,.0f} ms, "
                    f"longest {each.max_ms:,.0f} ms"
                )
            yield from (f"  error: {each}" for each in run.first_errors)


def _timing(kind: Kind, requests: Sequence[Request]) -> KindTiming | None:
    if not requests:
        return None
    times = np.asarray([each.milliseconds for each in requests])
    middle, late = np.percentile(times, (50, 95))
    return KindTiming(kind, len(requests), *(round(float(each), 1) for each in (middle, late, times.max())))
