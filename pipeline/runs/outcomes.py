"""Outcomes of runs and builds, independent of Dagster, and the detection of full disks."""

import errno
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path


@dataclass(frozen=True, slots=True)
class BuildProblem:
    """One step or check that failed."""

    where: str
    sentence: str
    """The fault and its remedy; the stack trace of an unexpected error."""


@dataclass(frozen=True, slots=True)
class RunOutcome:
    """The problems of one run, and the numbers that its assets reported."""

    problems: tuple[BuildProblem, ...]
    numbers: dict[str, dict[str, object]]


@dataclass(frozen=True, slots=True)
class Step:
    """The progress of a build."""

    doing: str
    """`book 7 of 32: rules`; one for each run."""
    part: str
    """The asset or check that runs now, or the progress of its embedding; empty as the run begins."""
    done: int
    """Number of finished runs, of `total`."""
    total: int


Progress = Callable[[Step], None]


@dataclass(slots=True)
class Build:
    """The result of a build; if it has no problems, its snapshot is live."""

    slugs: tuple[str, ...] = ()
    strays: tuple[str, ...] = ()
    """Files beside the books' folders, which belong to no book."""
    refused: tuple[str, ...] = ()
    """Links beside the books' folders that lead out of the library; they are not followed."""
    new: tuple[str, ...] = ()
    """Books that were never indexed in this home."""
    changed: tuple[str, ...] = ()
    """Books whose folder, or whose library's vocabulary, has changed since they were last indexed."""
    gone: tuple[str, ...] = ()
    skipped: tuple[str, ...] = ()
    """Books that no run read again: their records are complete and up to date with sources, program and settings."""
    is_unchanged: bool = False
    """Whether nothing was run at all, because a build would make exactly what is live."""
    problems: list[BuildProblem] = field(default_factory=list)
    overruled: tuple[BuildProblem, ...] = ()
    """Objections of the scores to a candidate that went live by force."""
    books: dict[str, RunOutcome] = field(default_factory=dict)
    library: dict[str, dict[str, object]] = field(default_factory=dict)
    """Numbers of the whole-library assets."""

    @property
    def sentences(self) -> tuple[str, ...]:
        """The problems as sentences; once if several books fail for one reason."""
        return tuple(dict.fromkeys(f"{problem.where}: {problem.sentence}" for problem in self.problems))

    def total(self, key: str, asset: str = "embeddings") -> int:
        """Return the sum over the books of the numbers that their `asset` reported under `key`."""
        numbers = (outcome.numbers.get(asset, {}).get(key, 0) for outcome in self.books.values())
        return sum(number for number in numbers if isinstance(number, int))


_DISK_IS_FULL = (
    "No space left on device",
    "File too large",
    "Disk quota exceeded",
    "disk I/O error",
    "database or disk is full",
)
"""Messages of the system, and of SQLite, which Dagster's history and Chroma use."""
_ERRORS = frozenset({errno.ENOSPC, errno.EFBIG, errno.EDQUOT})


def is_full_disk(error: OSError) -> bool:
    """Whether the system refused to write because of a lack of space."""
    return error.errno in _ERRORS


def full_disk_sentence(home: Path, trace: str) -> str | None:
    """Return what to do if a stack trace is about a full disk; None if it is not."""
    reason = next((reason for reason in _DISK_IS_FULL if reason in trace), None)
    if reason is None:
        return None
    return f"the disk of {home} has no room left ({reason}); make room, and run the same command again"
