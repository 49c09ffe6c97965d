"""Files replaced atomically and durably, and file entries: size and hash."""

import errno
import hashlib
import os
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from secrets import token_hex

_SYNCS_AT_ONCE = 16
"""A journal takes the syncs that wait together in one commit."""


def sync(path: Path) -> None:
    """Return once a file, or the list of names in a folder, survives a loss of power. Raises OSError."""
    descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        os.fsync(descriptor)
    except OSError as error:
        if error.errno not in {errno.EINVAL, errno.ENOTSUP}:  # a file system that syncs no folders
            raise
    finally:
        os.close(descriptor)


def sync_tree(folder: Path) -> None:
    """Sync a folder, and every file and folder below it. Raises OSError."""
    with ThreadPoolExecutor(_SYNCS_AT_ONCE) as pool:
        list(pool.map(sync, (path for path in folder.rglob("*") if path.is_file() or path.is_dir())))
    sync(folder)


def make_folder(folder: Path) -> None:
    """Make a folder and those above it that are not there; their names survive a loss of power. Raises OSError."""
    if not folder.is_dir():
        make_folder(folder.parent)
        folder.mkdir(exist_ok=True)
        sync(folder.parent)


@contextmanager
def replacing(path: Path) -> Iterator[Path]:
    """A path beside `path` to write to, which takes its place at the end of the block; the folder is made.

    After the block, the new content survives a loss of power. If the block fails, what it wrote is deleted and `path`
    stays as it was. A process that is killed leaves its temporary file behind, and no later writer meets it: the name
    has the process id and a random part, since processes of two containers can share a folder and an id.
    """
    make_folder(path.parent)
    partial = path.with_name(f".{path.name}.{os.getpid()}-{token_hex(4)}.partial")
    try:
        yield partial
        sync(partial)  # or the name could be on the disk before the content is
        partial.replace(path)
        sync(path.parent)
    finally:
        partial.unlink(missing_ok=True)


def write_atomically(path: Path, content: str | bytes) -> None:
    """Write a small file; text as UTF-8, its line ends as they are."""
    with replacing(path) as partial:
        partial.write_bytes(content.encode() if isinstance(content, str) else content)


@dataclass(frozen=True, slots=True)
class FileEntry:
    """One file. Key: path."""

    path: str
    """POSIX path inside the folder that it is an entry of."""
    size: int
    """Bytes."""
    sha256: str

    @classmethod
    def of(cls, folder: Path, path: Path) -> "FileEntry":
        """The entry of a file as it is now; `path` is somewhere below `folder`."""
        return cls(path.relative_to(folder).as_posix(), path.stat().st_size, _sha256(path))


def changes(folder: Path, files: Iterable[FileEntry], *, hashes: bool = True) -> Iterator[str]:
    """A sentence for every one of `files` that is not any more as its entry says.

    Args:
        folder: that they are below.
        files: as they were written.
        hashes: compare contents too (about 1.5 GB a second); otherwise sizes only.
    """
    for file in files:
        path = folder / file.path
        size = path.stat().st_size if path.is_file() else None
        if size != file.size:
            yield f"{file.path} has {size if size is not None else 'no'} bytes instead of {file.size}"
        elif hashes and _sha256(path) != file.sha256:
            yield f"{file.path} does not have the hash it was built with"


def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
