"""Atomic and durable replacement of files, and file entries with size and hash."""

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
"""Concurrent syncs, which a file system's journal can combine into one commit."""


def sync(path: Path) -> None:
    """Sync a file, or the list of names in a folder, so that it survives a power loss. Raises OSError."""
    descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        os.fsync(descriptor)
    except OSError as error:
        if error.errno not in {errno.EINVAL, errno.ENOTSUP}:  # a file system that cannot sync folders
            raise
    finally:
        os.close(descriptor)


def sync_tree(folder: Path) -> None:
    """Sync a folder, and every file and folder below it. Raises OSError."""
    with ThreadPoolExecutor(_SYNCS_AT_ONCE) as pool:
        list(pool.map(sync, (path for path in folder.rglob("*") if path.is_file() or path.is_dir())))
    sync(folder)


def make_folder(folder: Path) -> None:
    """Create a folder and missing parents, durably. Raises OSError."""
    if not folder.is_dir():
        make_folder(folder.parent)
        folder.mkdir(exist_ok=True)
        sync(folder.parent)


@contextmanager
def replacing(path: Path) -> Iterator[Path]:
    """Yield a path beside `path` to write to, which replaces it at the end of the block; the folder is created.

    After the block, the new content survives a power loss. If the block fails, the temporary file is deleted and `path`
    is not changed. A killed process leaves its temporary file, but later writers do not use the same name, which has
    the process id and a random part, since processes of two containers can share a folder and an id.
    """
    make_folder(path.parent)
    partial = path.with_name(f".{path.name}.{os.getpid()}-{token_hex(4)}.partial")
    try:
        yield partial
        sync(partial)  # otherwise the name could be on disk before the content
        partial.replace(path)
        sync(path.parent)
    finally:
        partial.unlink(missing_ok=True)


def write_atomically(path: Path, content: str | bytes) -> None:
    """Write a small file atomically; text as UTF-8 with unchanged line ends."""
    with replacing(path) as partial:
        partial.write_bytes(content.encode() if isinstance(content, str) else content)


@dataclass(frozen=True, slots=True)
class FileEntry:
    """One file. Key: path."""

    path: str
    """POSIX path relative to the folder of the entry."""
    size: int
    """Bytes."""
    sha256: str

    @classmethod
    def of(cls, folder: Path, path: Path) -> "FileEntry":
        """Return the entry of a file in its current state; `path` is below `folder`."""
        return cls(path.relative_to(folder).as_posix(), path.stat().st_size, _sha256(path))


def changes(folder: Path, files: Iterable[FileEntry], *, hashes: bool = True) -> Iterator[str]:
    """Yield a sentence for each of `files` that no longer matches its entry.

    Args:
        files: entries as they were written.
        hashes: whether to compare hashes (about 1.5 GB a second) and not only sizes.
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
