"""What work takes: memory of a process, seconds of its children, room of a folder."""

import os
import resource
from pathlib import Path

_STATM, _STATUS = Path("/proc/self/statm"), Path("/proc/self/status")
_OWN, _MAPPED = ("RssAnon",), ("RssFile", "RssShmem")


def resident_megabytes() -> float:
    """Resident memory now; where the system does not say, the most that it ever was."""
    if _STATM.is_file():
        return int(_STATM.read_text("ascii").split()[1]) * os.sysconf("SC_PAGE_SIZE") / 2**20
    return peak_megabytes()


def own_megabytes() -> float:
    """Resident memory that is this process's alone; mapped files are not, which all processes share. Where the system
    does not say, all of it."""
    return _status(_OWN) if _STATUS.is_file() else resident_megabytes()


def mapped_megabytes() -> float:
    """Resident memory that is mapped files: the system lets go of it when it needs room, and processes share it. Where
    the system does not say, none."""
    return _status(_MAPPED) if _STATUS.is_file() else 0.0


def peak_megabytes() -> float:
    """The most resident memory that this process ever held, mapped files among it."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**10


def _status(names: tuple[str, ...]) -> float:
    lines = (line.split() for line in _STATUS.read_text("ascii").splitlines())
    return sum(int(line[1]) for line in lines if line[0].rstrip(":") in names) / 2**10


def cpu_of_children() -> float:
    """Seconds of the processor that ended child processes of this one took."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def folder_megabytes(folder: Path) -> float:
    """Sizes of all files under a folder."""
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file()) / 2**20
