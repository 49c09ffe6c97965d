"""What a finished part of a build was made of and the files that it left, so that the next build can leave it alone."""

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from pydantic import ValidationError

from retrieval.atomic_files import write_atomically
from retrieval.index.file_entry import FileEntry, changes
from retrieval.records import dump_record, parse_record

Numbers = dict[str, dict[str, object]]


@dataclass(frozen=True, slots=True)
class KeptWork:
    """One finished part: a book's records, or the whole build. Key: key.

    It says that the files are what that work left, not that they are right: the checks on them say so.
    """

    key: str
    """Hash of everything that the part is made of."""
    files: tuple[FileEntry, ...]
    numbers: Numbers
    """What its assets reported, by the asset's name."""

    @classmethod
    def of(cls, key: str, folder: Path, paths: Iterable[Path], numbers: Numbers) -> "KeptWork":
        """The part whose files in `folder` are these, as they are now."""
        return cls(key, tuple(FileEntry.of(folder, path) for path in sorted(paths)), numbers)

    def write(self, path: Path) -> None:
        """Write it; the last step of the work."""
        write_atomically(path, dump_record(self) + b"\n")

    @classmethod
    def read(cls, path: Path) -> "KeptWork | None":
        """What was written; None where nothing readable was, and the work has to be done."""
        try:
            return parse_record(path.read_bytes(), cls)
        except (OSError, ValidationError):
            return None

    def is_whole(self, folder: Path) -> bool:
        """Whether every file in `folder` is there byte for byte (about 1.5 GB a second)."""
        return not any(changes(folder, self.files))
