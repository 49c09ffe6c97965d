"""What a worker is told, and what it says to the process that waits for it: a JSON line each."""

from dataclasses import dataclass

from pipeline.runs.outcomes import Build, Step
from retrieval.home import Home


@dataclass(frozen=True, slots=True)
class Order:
    """What is to be built."""

    home: Home
    force: str | None = None
    """Why the candidate goes live even if its scores refuse it."""
    accept: str | None = None
    """Why text that may be damaged goes live as it was read."""


@dataclass(frozen=True, slots=True)
class Message:
    """A step on the way; or, as the last one, what the build did or the error that it raised."""

    step: Step | None = None
    build: Build | None = None
    error: str | None = None
