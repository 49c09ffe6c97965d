"""Brings the snapshot that a place offers into a home, and makes it live there once it is whole."""

import os
from dataclasses import dataclass
from pathlib import Path
from shutil import copyfile, rmtree

from retrieval.errors import IndexCorruptError, IndexMissingError, TransferError
from retrieval.index.file_entry import FileEntry, changes
from retrieval.index.snapshot.building_folder import move_into_place
from retrieval.index.snapshot.live import POINTER, SNAPSHOTS, live_id, promote, snapshot_folder
from retrieval.index.snapshot.manifest import MANIFEST_FILE as MANIFEST
from retrieval.index.snapshot.manifest import Manifest
from retrieval.index.travel.listing import Listing, path_of
from retrieval.index.travel.meter import Meter, Progress, Tell, silent
from retrieval.index.travel.place import Place
from retrieval.index.travel.push import TRIES, live_at
from retrieval.index.travel.together import each_of
from retrieval.index.travel.wholeness import open_whole

ARRIVING = ".arriving"
"""Folder beside the snapshots in which one comes in; a pull that was interrupted goes on there."""


@dataclass(frozen=True, slots=True)
class Pulled:
    """What a pull did. Key: snapshot."""

    snapshot: str
    n_chunks: int
    files: int
    """Of the snapshot."""
    size: int
    """Their bytes."""
    fetched: int
    """Files that were not here, or not with the right hash."""
    before: str | None
    """What readers of the home got until then; None: nothing that can be named."""


def pull_snapshot(home: Path, place: Place, progress: Progress) -> Pulled:
    """Bring the snapshot that a place offers into a home and make it live; the caller holds the home's lock.

    A file that is here with the right hash is not fetched again, so an interrupted pull goes on where it was, and a
    damaged snapshot is mended. Where another snapshot is offered meanwhile, that one is pulled.

    Args:
        home: the home folder.
        place: where from; only files whose names are known are asked for, never a list of them.
        progress: called as the work goes on.

    Raises:
        IndexMissingError: nothing was pushed to the place.
        IndexCorruptError: what it offers is of another schema version, or was pushed damaged.
        TransferError: the place cannot be read, or a file comes damaged; what is live here is as it was.
        OSError: there is no room here.
    """
    while True:
        name = _offered(place)
        try:
            return _pulled(home, place, name, progress)
        except TransferError:
            # One that is offered no more may be removed while it is pulled.
            if _offered(place) == name:
                raise


def _offered(place: Place) -> str:
    name = live_at(place)
    if name is None:
        raise IndexMissingError(
            f"nothing was pushed to {place.name}: it has no file {POINTER!r} that names a snapshot; "
            f"look at the address, or run where the index is built: querymust push {place.name}"
        )
    return name


def _pulled(home: Path, place: Place, name: str, progress: Progress) -> Pulled:
    before, listing = _live_here(home), _listing(place, name)
    final = snapshot_folder(home, name)
    fetched = 0
    if any(changes(final, listing.files)):
        arriving = home / SNAPSHOTS / ARRIVING / name
        _forget_others(arriving)
        fetched = _fetch(place, arriving, final, listing, progress)
        os.utime(arriving / MANIFEST, (listing.built.timestamp(),) * 2)
        move_into_place(arriving, final)
        arriving.parent.rmdir()
    with open_whole(home, name) as snapshot:
        n_chunks = len(snapshot)
    promote(home, name, "pull")
    return Pulled(name, n_chunks, len(listing.files), listing.size, fetched, before)


def _live_here(home: Path) -> str | None:
    try:
        return live_id(home)
    except IndexCorruptError:
        return None  # a damaged pointer is fixed by what is pulled


def _listing(place: Place, name: str) -> Listing:
    """What is to be fetched; the manifest is read before, so that what cannot be used is not fetched at all."""
    path = path_of(name)
    manifest = path_of(name, MANIFEST)
    said, listed = place.read(manifest), place.read(path)
    if said is None or listed is None:
        raise TransferError(
            f"{place.name} offers snapshot {name}, and has no {manifest if said is None else path}; push again"
        )
    Manifest.parse(said, f"{place.name}/{manifest}")
    return Listing.parse(listed, name, f"{place.name}/{path}")


def _forget_others(arriving: Path) -> None:
    """What another pull left that nobody will go on with."""
    arriving.mkdir(parents=True, exist_ok=True)
    for other in arriving.parent.iterdir():
        if other != arriving:
            rmtree(other, ignore_errors=True)


def _fetch(place: Place, arriving: Path, final: Path, listing: Listing, progress: Progress) -> int:
    """Fetch what is not here yet; how many files came."""
    wanted = {arriving / each.path for each in listing.files}
    for path in arriving.rglob("*"):
        if path.is_file() and path not in wanted:
            path.unlink()
    meter = Meter(progress, listing.size)

    def bring(file: FileEntry) -> bool:
        tell = meter.of(file.path)
        if _is_here(arriving, file):
            tell(file.size)
        elif _is_here(final, file):
            (arriving / file.path).parent.mkdir(parents=True, exist_ok=True)
            copyfile(final / file.path, arriving / file.path)
            tell(file.size)
        else:
            _fetch_one(place, arriving, listing.snapshot, file, tell)
            return True
        return False

    return each_of(listing.files, bring)


def _fetch_one(place: Place, arriving: Path, snapshot: str, file: FileEntry, tell: Tell) -> None:
    path, target = path_of(snapshot, file.path), arriving / file.path
    for attempt in range(TRIES):
        place.fetch(path, target, file.size, silent if attempt else tell)
        if _is_here(arriving, file):
            return
    (sentence,) = changes(arriving, [file])
    target.unlink()
    raise TransferError(
        f"{place.name}/{path} is damaged: {sentence}, in {TRIES} tries; "
        f"run where the index is built: querymust push {place.name} --check"
    )


def _is_here(folder: Path, file: FileEntry) -> bool:
    return not any(changes(folder, [file]))
