"""What a worker says to the process that waits for it: a JSON line each."""

from dataclasses import dataclass

from pipeline.runs.outcomes import Build, Step


@dataclass(frozen=True, slots=True)
class Message:
    """A step on the way; or, as the last one, what the build did or the error that it raised."""

    step: Step | None = None
    build: Build | None = None
    error: str | None = None
