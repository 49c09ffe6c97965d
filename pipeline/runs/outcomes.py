"""Outcomes of runs and builds, known without Dagster, and full disks."""

import errno
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path


@dataclass(frozen=True, slots=True)
class BuildProblem:
    """One step or check that did not hold."""

    where: str
    sentence: str
    """What to do; for an error that nobody foresaw its stack trace."""


@dataclass(frozen=True, slots=True)
class RunOutcome:
    """What one run left: its problems, and the numbers its assets reported."""

    problems: tuple[BuildProblem, ...]
    numbers: dict[str, dict[str, object]]


@dataclass(frozen=True, slots=True)
class Step:
    """Where a build is."""

    doing: str
    """`book 7 of 32: rules`; one for each run."""
    part: str
    """The asset or check that runs now, or how far its embedding is; empty as the run begins."""
    done: int
    """Runs that are done, of `total`."""
    total: int


Progress = Callable[[Step], None]


@dataclass(slots=True)
class Build:
    """What a build did; without problems its snapshot is live."""

    slugs: tuple[str, ...] = ()
    strays: tuple[str, ...] = ()
    """Files beside the books' folders, which no book holds."""
    refused: tuple[str, ...] = ()
    """Links beside the books' folders that lead out of the library; they are not followed."""
    new: tuple[str, ...] = ()
    """Books that were never indexed in this home."""
    changed: tuple[str, ...] = ()
    """Books whose folder, or whose library's vocabulary, is not as it was when they were last indexed."""
    gone: tuple[str, ...] = ()
    skipped: tuple[str, ...] = ()
    """Books that no run read again: their records are whole, and made of what is there now by what is there now."""
    is_unchanged: bool = False
    """Whether nothing was run at all, because what is live is what a build would make."""
    problems: list[BuildProblem] = field(default_factory=list)
    overruled: tuple[BuildProblem, ...] = ()
    """What the scores had against the candidate that went live by force."""
    books: dict[str, RunOutcome] = field(default_factory=dict)
    library: dict[str, dict[str, object]] = field(default_factory=dict)
    """Numbers of the whole-library assets."""

    @property
    def sentences(self) -> tuple[str, ...]:
        """What did not hold; once, where several books fail for one reason."""
        return tuple(dict.fromkeys(f"{problem.where}: {problem.sentence}" for problem in self.problems))

    def total(self, key: str, asset: str = "embeddings") -> int:
        """The sum over the books of what their `asset` reported under `key`."""
        numbers = (outcome.numbers.get(asset, {}).get(key, 0) for outcome in self.books.values())
        return sum(number for number in numbers if isinstance(number, int))


_DISK_IS_FULL = (
    "No space left on device",
    "File too large",
    "Disk quota exceeded",
    "disk I/O error",
    "database or disk is full",
)
"""By the system, and by SQLite, on which Dagster's history and Chroma are built."""
_ERRORS = frozenset({errno.ENOSPC, errno.EFBIG, errno.EDQUOT})


def is_full_disk(error: OSError) -> bool:
    """Whether the system refused to write for want of room."""
    return error.errno in _ERRORS


def full_disk_sentence(home: Path, trace: str) -> str | None:
    """What to do, where that is what a stack trace ends in; None where it is about something else."""
    reason = next((reason for reason in _DISK_IS_FULL if reason in trace), None)
    if reason is None:
        return None
    return f"the disk of {home} takes nothing more ({reason}); make room, and run the same command again"
