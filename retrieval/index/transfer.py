"""Push and pull of snapshots between a home and a place, complete or not at all."""

import hashlib
import os
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from shutil import copyfile, rmtree

from pydantic import ValidationError

from retrieval.errors import IndexMissingError, TransferError
from retrieval.files.atomic_files import FileEntry, changes
from retrieval.files.records import dump_record, parse_record
from retrieval.index.places import Place, Progress, Tell, TransferMeter, each_of, silent
from retrieval.index.signature import Signer, Verifier
from retrieval.index.snapshot.folders import KEPT_SNAPSHOTS, move_into_place
from retrieval.index.snapshot.live import HISTORY_FILE as HISTORY
from retrieval.index.snapshot.live import (
    POINTER,
    SNAPSHOTS,
    Promotion,
    dump_promotions,
    is_id,
    pointed_id,
    promote,
    read_promotions,
    snapshot_folder,
    unread,
)
from retrieval.index.snapshot.manifest import MANIFEST_FILE as MANIFEST
from retrieval.index.snapshot.manifest import Manifest
from retrieval.index.snapshot.snapshot import open_snapshot

LISTING_FILE, SIGNATURE_FILE = "files.json", "files.json.sig"
"""The list beside the files of a pushed snapshot, written after all of them."""


@dataclass(frozen=True, slots=True)
class Listing:
    """The files of one pushed snapshot. Key: snapshot."""

    snapshot: str
    files: tuple[FileEntry, ...]
    """In the order of transfer; the manifest is last, because a folder without it is not a snapshot."""
    sha256: str
    """Hash of the entries, which detects a damaged list."""
    built: datetime
    """The time when the snapshot was built."""

    @classmethod
    def of(cls, folder: Path) -> "Listing":
        """Return the list of the files of a snapshot's folder that are pushed."""
        entries = [FileEntry.of(folder, path) for path in sorted(_own(folder))]
        files = tuple(sorted(entries, key=lambda entry: (entry.path == MANIFEST, entry.path)))
        built = datetime.fromtimestamp(int((folder / MANIFEST).stat().st_mtime), UTC)
        return cls(folder.name, files, hash_of(files), built)

    @property
    def size(self) -> int:
        """Total bytes of the files."""
        return sum(file.size for file in self.files)

    def dump(self) -> bytes:
        """Return the list in the form that `parse` reads."""
        return dump_record(self) + b"\n"

    @classmethod
    def parse(cls, content: bytes, snapshot: str, where: str) -> "Listing":
        """Parse what `dump` returned.

        Args:
            snapshot: whose files it should list.
            where: the file's name in errors.

        Raises:
            TransferError: it is damaged, lists another snapshot, or names a file outside the snapshot's folder.
        """
        try:
            record = parse_record(content, cls)
        except ValidationError as error:
            raise TransferError(f"{where} is damaged ({error.errors()[0]['msg']}); push again with --check") from error
        if record.snapshot != snapshot or record.sha256 != hash_of(record.files):
            raise TransferError(f"{where} is damaged: it is not the list that was written; push again with --check")
        for file in record.files:
            if not _PATH.fullmatch(file.path) or file.path in {LISTING_FILE, SIGNATURE_FILE} or file.size < 0:
                raise TransferError(
                    f"{where} names {file.path!r} of {file.size} bytes, which is not a file of a snapshot; "
                    "do not pull from there"
                )
        return record


def path_of(snapshot: str, file: str = LISTING_FILE) -> str:
    """Return the path of a snapshot's file in a place."""
    return f"{SNAPSHOTS}/{snapshot}/{file}"


def _own(folder: Path) -> Iterator[Path]:
    for path in folder.rglob("*"):
        inside = path.relative_to(folder)
        hidden = any(part.startswith(".") for part in inside.parts)
        if path.is_file() and not hidden and inside.as_posix() not in {LISTING_FILE, SIGNATURE_FILE}:
            yield path


def hash_of(files: Iterable[FileEntry]) -> str:
    """Return the SHA-256 of entries in their order."""
    return hashlib.sha256(b"\n".join(map(dump_record, files))).hexdigest()


_NAME = r"[\w-][\w.-]{0,99}"
_PATH = re.compile(rf"(?:{_NAME}/){{0,5}}{_NAME}", re.ASCII)


TRIES = 2
"""Attempts to transfer a file that arrives damaged; repeated damage is not caused by the transfer."""


@dataclass(frozen=True, slots=True)
class Pushed:
    """The result of a push. Key: snapshot."""

    snapshot: str
    files: int
    """Of the snapshot."""
    size: int
    """Their bytes."""
    sent: int
    """Files that were not there, or not with the right hash."""
    before: str | None
    """The snapshot that readers of the place got before; None if there was none."""
    removed: tuple[str, ...]
    """Snapshots that were removed from the place."""


def push_snapshot(
    home: Path,
    remote: Place,
    progress: Progress,
    *,
    keep: int = KEPT_SNAPSHOTS,
    check: bool = False,
    signer: Signer | None = None,
) -> Pushed:
    """Copy the live snapshot to a place; readers get it when all of it is there.

    A file that is there with the right hash is not sent again, so an interrupted push resumes. Each file that is sent
    is read back and compared. A snapshot that is complete there is not changed.

    Args:
        home: of the live snapshot.
        keep: number of previous snapshots that the place keeps beside this one.
        check: whether to read back every file even if the snapshot is complete there; damaged files are sent again.
        signer: signs the list of the files and their hashes.

    Raises:
        NothingLiveError: no snapshot is live.
        IndexCorruptError: the live snapshot is damaged; nothing was sent.
        TransferError: the place cannot be read or written; its readers get the same snapshot as before.
    """
    if remote.folder is not None and remote.folder.resolve() == home.resolve():
        raise TransferError(f"{remote.name} is the home itself; push to another place")
    with open_snapshot(home) as snapshot:
        listing = Listing.of(snapshot.folder)
        sent = 0
        listed = remote.read(path_of(snapshot.id))
        is_another = signer is not None and listed != listing.dump()
        if is_another or not _is_complete(remote, snapshot.id, listed, check=check):
            sent = _send(remote, snapshot.folder, listing, progress)
        if signer:
            remote.write(path_of(snapshot.id, SIGNATURE_FILE), signer.sign(listing.dump()))
    before = live_at(remote)
    if before != snapshot.id:
        remote.write(POINTER, f"{snapshot.id}\n".encode())
    moves = read_promotions(remote.read(HISTORY) or b"")
    if before != snapshot.id or not moves:
        moves = (*moves, Promotion.now(snapshot.id, "push"))
        remote.write(HISTORY, dump_promotions(moves))
    removed = _remove_old(remote, moves, snapshot.id, keep)
    return Pushed(snapshot.id, len(listing.files), listing.size, sent, before, removed)


def live_at(remote: Place) -> str | None:
    """Return the id of the snapshot that readers of a place get; None before a push, or for a damaged pointer."""
    pointer = (remote.read(POINTER) or b"").decode("ascii", "replace").strip()
    return pointer if is_id(pointer) else None


def _is_complete(remote: Place, snapshot: str, listed: bytes | None, *, check: bool) -> bool:
    if listed is None:
        return False
    try:
        there = Listing.parse(listed, snapshot, f"{remote.name}/{path_of(snapshot)}")
    except TransferError:
        return False

    def is_right(file: FileEntry) -> bool:
        at = path_of(snapshot, file.path)
        return remote.sha256(at) == file.sha256 if check else remote.size(at) == file.size

    return each_of(there.files, is_right) == len(there.files)


def _send(remote: Place, folder: Path, listing: Listing, progress: Progress) -> int:
    """Send the missing files and the list of all files, and return how many files were sent."""
    remote.remove(path_of(listing.snapshot))
    remote.remove(path_of(listing.snapshot, SIGNATURE_FILE))
    meter = TransferMeter(progress, listing.size)

    def bring(file: FileEntry) -> bool:
        path, tell = path_of(listing.snapshot, file.path), meter.of(file.path)
        if remote.sha256(path) == file.sha256:
            tell(file.size)
            return False
        for attempt in range(TRIES):
            remote.send(folder / file.path, path, silent if attempt else tell)
            if remote.sha256(path) == file.sha256:
                return True
        raise TransferError(
            f"{remote.name}/{path} arrived damaged {TRIES} times: its hash is not that of the file that was sent; "
            "check that location, and push again"
        )

    sent = each_of(listing.files, bring)
    remote.write(path_of(listing.snapshot), listing.dump())
    return sent


def _remove_old(remote: Place, moves: tuple[Promotion, ...], live: str, keep: int) -> tuple[str, ...]:
    were = dict.fromkeys(move.snapshot for move in reversed(moves) if move.snapshot != live)
    stay = {live, *list(were)[:keep]}
    gone = [name for name in remote.folders(SNAPSHOTS) if is_id(name) and name not in stay]
    return tuple(name for name in gone if _removed(remote, name))


def _removed(remote: Place, snapshot: str) -> bool:
    def remove() -> bool:
        # The list is removed first, so that a partly removed snapshot does not count as complete.
        remote.remove(path_of(snapshot))
        remote.remove(f"{SNAPSHOTS}/{snapshot}")
        return True

    if remote.folder is None:
        return remove()
    with unread(remote.folder / SNAPSHOTS / snapshot) as may_go:
        return may_go and remove()


ARRIVING = ".arriving"
"""Folder beside the snapshots for one that is being pulled, in which an interrupted pull resumes."""


@dataclass(frozen=True, slots=True)
class Pulled:
    """The result of a pull. Key: snapshot."""

    snapshot: str
    n_chunks: int
    files: int
    """Of the snapshot."""
    size: int
    """Their bytes."""
    fetched: int
    """Files that were not here, or not with the right hash."""
    before: str | None
    """The snapshot that readers of the home got before; None if there was none, or its pointer was damaged."""


MAX_BYTES = 20 * 10**9
"""Default limit for the size of a pulled snapshot."""


def pull_snapshot(
    home: Path, remote: Place, progress: Progress, *, most: int = MAX_BYTES, verifier: Verifier | None = None
) -> Pulled:
    """Copy the snapshot that a place offers to a home and make it live. The caller holds the home's lock.

    A file that is here with the right hash is not fetched again, so an interrupted pull resumes, and a damaged
    snapshot is repaired. If the place offers another snapshot in the meantime, that one is pulled.

    Args:
        remote: the place to pull from; only files with known names are requested, never a folder listing.
        most: largest size of the snapshot in bytes.
        verifier: requires a signature of the list of the files before any of them is fetched. It does not notice an
            older snapshot of the same owner.

    Raises:
        IndexMissingError: nothing was pushed to the place.
        IndexCorruptError: the offered snapshot has another schema version, or was damaged when it was pushed.
        TransferError: the place cannot be read, or a file arrives damaged; the live snapshot here is unchanged.
        OSError: this machine's disk is full.
    """
    while True:
        name = _offered(remote)
        try:
            return _pulled(home, remote, name, progress, most, verifier)
        except TransferError:
            # A snapshot that is no longer offered may be removed while it is being pulled.
            if _offered(remote) == name:
                raise


def _offered(remote: Place) -> str:
    name = live_at(remote)
    if name is None:
        raise IndexMissingError(
            f"nothing was pushed to {remote.name}: it has no file {POINTER!r} that names a snapshot; "
            f"check the address, or run where the index is built: querymust push {remote.name}"
        )
    return name


def _pulled(home: Path, remote: Place, name: str, progress: Progress, most: int, verifier: Verifier | None) -> Pulled:
    before, listing = pointed_id(home), _listing(remote, name, verifier)
    if listing.size > most:
        raise TransferError(
            f"snapshot {name} of {remote.name} has {listing.size:,} bytes, but {most:,} are allowed; if that is "
            f"intended, pull it with --max-gb {-(-listing.size // 10**9)}"
        )
    final = snapshot_folder(home, name)
    fetched = 0
    if any(changes(final, listing.files)):
        arriving = home / SNAPSHOTS / ARRIVING / name
        _forget_others(arriving)
        fetched = _fetch(remote, arriving, final, listing, progress)
        os.utime(arriving / MANIFEST, (listing.built.timestamp(),) * 2)
        move_into_place(arriving, final)
        arriving.parent.rmdir()
    with open_snapshot(home, name) as snapshot:
        n_chunks = len(snapshot)
    promote(home, name, "pull")
    return Pulled(name, n_chunks, len(listing.files), listing.size, fetched, before)


def _listing(remote: Place, name: str, verifier: Verifier | None) -> Listing:
    """Return the list of files to fetch, after checking the manifest so that nothing unusable is fetched."""
    path = path_of(name)
    manifest = path_of(name, MANIFEST)
    terms, listed = remote.read(manifest), remote.read(path)
    if terms is None or listed is None:
        raise TransferError(
            f"{remote.name} offers snapshot {name}, but has no {manifest if terms is None else path}; push again"
        )
    if verifier:
        verifier.require(listed, remote.read(path_of(name, SIGNATURE_FILE)), f"{remote.name}/{path}")
    Manifest.parse(terms, f"{remote.name}/{manifest}")
    return Listing.parse(listed, name, f"{remote.name}/{path}")


def _forget_others(arriving: Path) -> None:
    """Remove what interrupted pulls of other snapshots left."""
    arriving.mkdir(parents=True, exist_ok=True)
    for other in arriving.parent.iterdir():
        if other != arriving:
            rmtree(other, ignore_errors=True)


def _fetch(remote: Place, arriving: Path, final: Path, listing: Listing, progress: Progress) -> int:
    """Fetch the files that are not here yet, and return how many were fetched."""
    wanted = {arriving / file.path for file in listing.files}
    for path in arriving.rglob("*"):
        if path.is_file() and path not in wanted:
            path.unlink()
    meter = TransferMeter(progress, listing.size)

    def bring(file: FileEntry) -> bool:
        tell = meter.of(file.path)
        if _is_here(arriving, file):
            tell(file.size)
        elif _is_here(final, file):
            (arriving / file.path).parent.mkdir(parents=True, exist_ok=True)
            copyfile(final / file.path, arriving / file.path)
            tell(file.size)
        else:
            _fetch_one(remote, arriving, listing.snapshot, file, tell)
            return True
        return False

    return each_of(listing.files, bring)


def _fetch_one(remote: Place, arriving: Path, snapshot: str, file: FileEntry, tell: Tell) -> None:
    path, target = path_of(snapshot, file.path), arriving / file.path
    for attempt in range(TRIES):
        remote.fetch(path, target, file.size, silent if attempt else tell)
        if _is_here(arriving, file):
            return
    (sentence,) = changes(arriving, [file])
    target.unlink()
    raise TransferError(
        f"{remote.name}/{path} is damaged: {sentence}, in {TRIES} tries; "
        f"run where the index is built: querymust push {remote.name} --check"
    )


def _is_here(folder: Path, file: FileEntry) -> bool:
    return not any(changes(folder, [file]))
