"""The seal on Chroma's files: what they were when the build had tried them, compared before Chroma opens them.

Chroma compares nothing itself. Of a damaged header it takes the process down, half a file of vectors it answers from.
"""

import os
import sqlite3
from collections.abc import Iterable, Iterator
from contextlib import closing
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from shutil import copyfile

from pydantic import ValidationError

from retrieval.atomic_files import write_atomically
from retrieval.index.chroma.store import DATABASE
from retrieval.index.file_entry import FileEntry, changes
from retrieval.records import dump_record, parse_record

SEAL_FILE = "seal.json"
_WRITTEN_OUT = "index_metadata.pickle"
"""In the folder of each graph that Chroma reads. The others hold nothing: it makes them again from the database, and
writes them when they are asked."""
_QUIET = (
    "CREATE TRIGGER IF NOT EXISTS sealed BEFORE INSERT ON acquire_write BEGIN SELECT RAISE(IGNORE); END",
    "PRAGMA wal_checkpoint(TRUNCATE)",
)
"""Chroma writes a row on each opening and never reads it. Without it the database stays the same file, byte for byte,
and opens on a full disk."""


@dataclass(frozen=True, slots=True)
class Seal:
    """Chroma's files of one snapshot."""

    files: tuple[FileEntry, ...]


def seal(folder: Path) -> None:
    """Seal Chroma's files in `folder`: from now on they are read and never changed. No client may have them open."""
    with closing(sqlite3.connect(folder / DATABASE)) as connection:
        for statement in _QUIET:
            connection.execute(statement)
        connection.commit()
    paths = [folder / DATABASE, *sorted(_graph_files(folder))]
    files = tuple(FileEntry.of(folder, path) for path in paths)
    write_atomically(folder / SEAL_FILE, dump_record(Seal(files)) + b"\n")


def seal_version(folder: Path) -> str:
    """Hash of the seal in `folder`: while it is not broken, that of all the files that it names."""
    return sha256((folder / SEAL_FILE).read_bytes()).hexdigest()


def broken(folder: Path) -> Iterator[str]:
    """A sentence for everything that is not as it was sealed; nothing is opened by Chroma."""
    try:
        sealed = parse_record((folder / SEAL_FILE).read_bytes(), Seal)
    except (OSError, ValidationError):
        yield f"{SEAL_FILE} is missing or cannot be read, which says what Chroma's files were"
        return
    yield from changes(folder, sealed.files)
    known = {file.path for file in sealed.files}
    for path in sorted(_graph_files(folder)):
        if (inside := path.relative_to(folder).as_posix()) not in known:
            yield f"{inside} was not there when it was built"


def sealed_files(folder: Path) -> tuple[FileEntry, ...]:
    """The files that are sealed in `folder`, and the seal's own; none where nothing is. Ask `broken` first."""
    try:
        sealed = parse_record((folder / SEAL_FILE).read_bytes(), Seal)
    except (OSError, ValidationError):
        return ()
    return (*sealed.files, FileEntry.of(folder, folder / SEAL_FILE))


def copy_sealed(source: Path, target: Path) -> None:
    """Copy the files that were sealed in `source`, and nothing else, to be changed there and sealed again.

    What Chroma wrote beside them it makes again. Ask `broken` first.
    """
    for file in parse_record((source / SEAL_FILE).read_bytes(), Seal).files:
        place = target / file.path
        place.parent.mkdir(parents=True, exist_ok=True)
        copyfile(source / file.path, place)
    with closing(sqlite3.connect(target / DATABASE)) as connection:
        connection.execute("DROP TRIGGER IF EXISTS sealed")
        connection.commit()


def is_writable(folder: Path) -> bool:
    """Whether this process may write Chroma's files, as far as they are there. Chroma opens none that it may not."""
    return all(os.access(path, os.W_OK) for path in (folder, *folder.rglob("*")) if path.exists())


def _graph_files(folder: Path) -> Iterable[Path]:
    for mark in folder.glob(f"*/{_WRITTEN_OUT}"):
        yield from (path for path in mark.parent.iterdir() if path.is_file())
