"""Which snapshots a home keeps: what readers get, what they got before, and what was built last."""

from dataclasses import dataclass
from pathlib import Path
from shutil import rmtree
from tempfile import mkdtemp

from retrieval.index.snapshot.building_folder import ABANDONED_PREFIX
from retrieval.index.snapshot.live import SNAPSHOTS, is_id, live_id
from retrieval.index.snapshot.live_history import were_live
from retrieval.index.snapshot.readers import unread

KEEP = 3
"""So many that were live are kept beside the one that is."""


@dataclass(frozen=True, slots=True)
class Kept:
    """A snapshot on disk. Key: id."""

    id: str
    size: int
    """Bytes."""
    why: str
    """`live`, `candidate`, `was live`; empty where nothing keeps it."""


def snapshots_of(home: Path, candidate: str | None, keep: int = KEEP) -> tuple[Kept, ...]:
    """Every snapshot of a home, in the order of their ids, and why it is kept.

    Args:
        home: the home folder.
        candidate: the newest snapshot, live or not.
        keep: how many that were live are kept beside the live one.

    Raises:
        IndexCorruptError: the live pointer is damaged, so nobody knows what may go.
    """
    live = live_id(home)
    present = {path.name: path for path in (home / SNAPSHOTS).glob("*") if path.is_dir() and is_id(path.name)}
    before = [each for each in were_live(home) if each != live and each in present][:keep]
    reasons = dict.fromkeys(before, "was live")
    reasons |= {each: why for each, why in ((candidate, "candidate"), (live, "live")) if each is not None}
    return tuple(Kept(each, _size(path), reasons.get(each, "")) for each, path in sorted(present.items()))


def remove_snapshots(home: Path, candidate: str | None, keep: int = KEEP, *, pretend: bool = False) -> tuple[Kept, ...]:
    """Remove every snapshot that nothing keeps, and say which.

    The caller holds the home's lock. What a process of this machine has open stays, and goes with a later call.

    Raises:
        IndexCorruptError: the live pointer is damaged; nothing was removed.
    """
    gone = (each for each in snapshots_of(home, candidate, keep) if not each.why)
    return tuple(each for each in gone if _removed(home / SNAPSHOTS / each.id, pretend=pretend))


def _removed(folder: Path, *, pretend: bool) -> bool:
    with unread(folder) as may_go:
        if may_go and not pretend:
            # Under a name that no reader takes for a snapshot's, so that a killed removal leaves no half of one.
            away = Path(mkdtemp(prefix=ABANDONED_PREFIX, dir=folder.parent))
            folder.replace(away / folder.name)
            rmtree(away, ignore_errors=True)
        return may_go


def _size(folder: Path) -> int:
    return sum(path.lstat().st_size for path in folder.rglob("*") if path.is_file())
