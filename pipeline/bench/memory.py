"""How much memory a process holds, and how much room a folder takes."""

import os
import resource
from pathlib import Path

_STATM, _STATUS = Path("/proc/self/statm"), Path("/proc/self/status")


def resident_megabytes() -> float:
    """Resident memory now; where the system does not say, the most that it ever was."""
    if _STATM.is_file():
        return int(_STATM.read_text("ascii").split()[1]) * os.sysconf("SC_PAGE_SIZE") / 2**20
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**10


def own_megabytes() -> float:
    """Resident memory that is this process's alone; mapped files are not, which all processes share. Where the system
    does not say, all of it."""
    if _STATUS.is_file():
        for line in _STATUS.read_text("ascii").splitlines():
            if line.startswith("RssAnon:"):
                return int(line.split()[1]) / 2**10
    return resident_megabytes()


def folder_megabytes(folder: Path) -> float:
    """Sizes of all files under a folder."""
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file()) / 2**20
