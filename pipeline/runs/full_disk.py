"""A disk that takes nothing more, told in one sentence: whoever writes to it says so in words of its own."""

import errno
from pathlib import Path

_SAID = (
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
    reason = next((each for each in _SAID if each in trace), None)
    if reason is None:
        return None
    return f"the disk of {home} takes nothing more ({reason}); make room, and run the same command again"
