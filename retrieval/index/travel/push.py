"""Brings the live snapshot of a home to a place, from where any number of readers pull it."""

from dataclasses import dataclass
from pathlib import Path

from retrieval.errors import TransferError
from retrieval.index.file_entry import FileEntry
from retrieval.index.snapshot.live import POINTER, SNAPSHOTS, is_id
from retrieval.index.snapshot.live_history import HISTORY_FILE as HISTORY
from retrieval.index.snapshot.live_history import Promotion, dump_promotions, read_promotions
from retrieval.index.snapshot.readers import unread
from retrieval.index.snapshot.retention import KEEP
from retrieval.index.travel.listing import Listing, path_of
from retrieval.index.travel.meter import Meter, Progress, silent
from retrieval.index.travel.place import Place
from retrieval.index.travel.together import each_of
from retrieval.index.travel.wholeness import open_whole

TRIES = 2
"""What was damaged on the way is sent or fetched so often; damage that comes again is not the way's."""


@dataclass(frozen=True, slots=True)
class Pushed:
    """What a push did. Key: snapshot."""

    snapshot: str
    files: int
    """Of the snapshot."""
    size: int
    """Their bytes."""
    sent: int
    """Files that were not there, or not with the right hash."""
    before: str | None
    """What readers of the place got until then; None: nothing."""
    removed: tuple[str, ...]
    """Snapshots that the place keeps no more."""


def push_snapshot(home: Path, place: Place, progress: Progress, *, keep: int = KEEP, check: bool = False) -> Pushed:
    """Bring the live snapshot to a place; readers get it once all of it is there.

    A file that is there with the right hash is not sent again, so an interrupted push goes on where it was. Each file
    that is sent is read back and compared. One snapshot is never changed for readers: where it is complete, it stays.

    Args:
        home: whose live snapshot.
        place: where to.
        progress: called as the work goes on.
        keep: how many that readers got before stay, beside this one.
        check: read every file back also where the snapshot is complete there; what is damaged is sent again.

    Raises:
        NothingLiveError: nothing is live.
        IndexCorruptError: what is live is damaged; nothing was sent.
        TransferError: the place cannot be read or written; what its readers get is as it was.
    """
    if place.folder is not None and place.folder.resolve() == home.resolve():
        raise TransferError(f"{place.name} is the home itself; push to another place")
    with open_whole(home) as snapshot:
        listing = Listing.of(snapshot.folder)
        sent = 0
        if not _is_complete(place, snapshot.id, check=check):
            sent = _send(place, snapshot.folder, listing, progress)
    before = live_at(place)
    if before != snapshot.id:
        place.write(POINTER, f"{snapshot.id}\n".encode())
    moves = read_promotions(place.read(HISTORY) or b"")
    if before != snapshot.id or not moves:
        moves = (*moves, Promotion.now(snapshot.id, "push"))
        place.write(HISTORY, dump_promotions(moves))
    removed = _remove_old(place, moves, snapshot.id, keep)
    return Pushed(snapshot.id, len(listing.files), listing.size, sent, before, removed)


def live_at(place: Place) -> str | None:
    """Id of the snapshot that readers of a place get; None where nothing was pushed yet, or the pointer is damaged."""
    found = (place.read(POINTER) or b"").decode("ascii", "replace").strip()
    return found if is_id(found) else None


def _is_complete(place: Place, snapshot: str, *, check: bool) -> bool:
    path = path_of(snapshot)
    content = place.read(path)
    if content is None:
        return False
    try:
        there = Listing.parse(content, snapshot, f"{place.name}/{path}")
    except TransferError:
        return False

    def is_right(file: FileEntry) -> bool:
        at = path_of(snapshot, file.path)
        return place.sha256(at) == file.sha256 if check else place.size(at) == file.size

    return each_of(there.files, is_right) == len(there.files)


def _send(place: Place, folder: Path, listing: Listing, progress: Progress) -> int:
    """Send what is not there yet, and the list of all of it; how many files went."""
    place.remove(path_of(listing.snapshot))
    meter = Meter(progress, listing.size)

    def bring(file: FileEntry) -> bool:
        path, tell = path_of(listing.snapshot, file.path), meter.of(file.path)
        if place.sha256(path) == file.sha256:
            tell(file.size)
            return False
        for attempt in range(TRIES):
            place.send(folder / file.path, path, silent if attempt else tell)
            if place.sha256(path) == file.sha256:
                return True
        raise TransferError(
            f"{place.name}/{path} came out damaged {TRIES} times: it does not have the hash of what was sent; "
            "look at that place, and push again"
        )

    sent = each_of(listing.files, bring)
    place.write(path_of(listing.snapshot), listing.dump())
    return sent


def _remove_old(place: Place, moves: tuple[Promotion, ...], live: str, keep: int) -> tuple[str, ...]:
    were = dict.fromkeys(move.snapshot for move in reversed(moves) if move.snapshot != live)
    stay = {live, *list(were)[:keep]}
    gone = [name for name in place.folders(SNAPSHOTS) if is_id(name) and name not in stay]
    return tuple(name for name in gone if _removed(place, name))


def _removed(place: Place, snapshot: str) -> bool:
    def remove() -> bool:
        # The list first: what is half removed is not complete.
        place.remove(path_of(snapshot))
        place.remove(f"{SNAPSHOTS}/{snapshot}")
        return True

    if place.folder is None:
        return remove()
    with unread(place.folder / SNAPSHOTS / snapshot) as may_go:
        return may_go and remove()
