"""What a snapshot is made of while it travels: every file that goes along, with its size and hash."""

import hashlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path, PurePosixPath

from pydantic import ValidationError

from retrieval.errors import TransferError
from retrieval.index.chroma.seal import sealed_files
from retrieval.index.file_entry import FileEntry
from retrieval.index.snapshot.live import SNAPSHOTS
from retrieval.index.snapshot.manifest import MANIFEST_FILE as MANIFEST
from retrieval.records import dump_record, parse_record

LISTING_FILE = "files.json"
"""Beside the files of a snapshot that was pushed, and there once they all are."""
_CHROMA = "chroma"


@dataclass(frozen=True, slots=True)
class Listing:
    """The files of one snapshot that was pushed. Key: snapshot."""

    snapshot: str
    files: tuple[FileEntry, ...]
    """In the order in which they go: the manifest is last, without which no folder is a snapshot."""
    sha256: str
    """Of the entries: a list that lost one says so."""
    built: datetime
    """When the snapshot was."""

    @classmethod
    def of(cls, folder: Path) -> "Listing":
        """What would be pushed of a snapshot's folder.

        Of Chroma's files only those go that are sealed; it makes the others again.
        """
        entries = [FileEntry.of(folder, path) for path in sorted(_own(folder))]
        entries += [
            FileEntry(f"{_CHROMA}/{each.path}", each.size, each.sha256) for each in sealed_files(folder / _CHROMA)
        ]
        files = tuple(sorted(entries, key=lambda each: (each.path == MANIFEST, each.path)))
        built = datetime.fromtimestamp(int((folder / MANIFEST).stat().st_mtime), UTC)
        return cls.over(folder.name, files, built)

    @classmethod
    def over(cls, snapshot: str, files: tuple[FileEntry, ...], built: datetime) -> "Listing":
        """A list of these files."""
        return cls(snapshot, files, _hash(files), built)

    @property
    def size(self) -> int:
        """Bytes of all files."""
        return sum(each.size for each in self.files)

    def dump(self) -> bytes:
        """As `parse` reads it."""
        return dump_record(self) + b"\n"

    @classmethod
    def parse(cls, content: bytes, snapshot: str, where: str) -> "Listing":
        """What `dump` gave.

        Args:
            content: of the file.
            snapshot: whose files it should list.
            where: what to call the file in an error.

        Raises:
            TransferError: it is damaged, or of another snapshot; or it names a file outside of the snapshot's folder.
        """
        try:
            found = parse_record(content, cls)
        except ValidationError as error:
            raise TransferError(f"{where} is damaged ({error.errors()[0]['msg']}); push again with --check") from error
        if found.snapshot != snapshot or found.sha256 != _hash(found.files):
            raise TransferError(f"{where} is damaged: it is not the list that was written; push again with --check")
        strange = next((each.path for each in found.files if not _is_inside(each.path)), None)
        if strange is not None:
            raise TransferError(f"{where} names {strange!r}, which is no file of a snapshot; do not pull from there")
        return found


def path_of(snapshot: str, file: str = LISTING_FILE) -> str:
    """Where a file of a snapshot is in a place."""
    return f"{SNAPSHOTS}/{snapshot}/{file}"


def _own(folder: Path) -> Iterator[Path]:
    for path in folder.rglob("*"):
        inside = path.relative_to(folder)
        hidden = any(part.startswith(".") for part in inside.parts)
        if path.is_file() and not hidden and inside.parts[0] != _CHROMA and inside.as_posix() != LISTING_FILE:
            yield path


def _hash(files: Iterable[FileEntry]) -> str:
    return hashlib.sha256(b"\n".join(map(dump_record, files))).hexdigest()


def _is_inside(path: str) -> bool:
    parts = PurePosixPath(path)
    inside = bool(parts.parts) and not parts.is_absolute() and ".." not in parts.parts
    return inside and path == parts.as_posix() and path != LISTING_FILE
