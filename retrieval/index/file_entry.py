"""A file of an index as it was written: its size and hash, by which damage is found."""

import hashlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path


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
