"""The files of a folder of books: what is read, what is ignored, what is refused, and what cannot be read."""

import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from retrieval.errors import LibraryError


@dataclass(frozen=True, slots=True)
class BookFiles:
    """What is in a folder and in all below it, in name order; hidden files are in none of these."""

    markdown: tuple[Path, ...]
    ignored: tuple[Path, ...]
    """Files that are not markdown."""
    refused: tuple[tuple[Path, str], ...]
    """Links and names that are not read, each with a sentence that says why and what to do."""
    unreadable: tuple[tuple[Path, str], ...]
    """Folders and files that the system does not let us read, each with its reason: books may be behind them."""


def book_files(folder: Path, library: Path) -> BookFiles:
    """Look through a folder. Nothing is opened, and a link is followed only to a file inside the library.

    Args:
        folder: of a book, or of the library where that is one book.
        library: what no link may lead out of.
    """
    found = _Finding(folder, library)
    found.look()
    return BookFiles(
        tuple(sorted(found.markdown, key=lambda path: path.relative_to(folder).as_posix())),
        tuple(sorted(found.ignored)),
        tuple(sorted(found.refused)),
        tuple(sorted(found.unreadable)),
    )


def leads_out(path: Path, library: Path) -> bool:
    """Whether a path is a link to what is not inside the library."""
    return path.is_symlink() and not _real(path).is_relative_to(_real(library))


def shown_name(path: Path) -> str:
    """A path as text that can be printed and stored; what in its name is not UTF-8 becomes `\\xe9`."""
    return os.fsencode(path).decode("utf-8", "backslashreplace")


def cannot_be_read(path: Path, reason: str) -> str:
    """The sentence for a file or a folder that the system refuses."""
    return f"{shown_name(path)} cannot be read ({reason}); make it readable, or take it out of the library"


def read_bytes(path: Path) -> bytes:
    """The bytes of a file. Raises LibraryError, with its name, where the system refuses it."""
    try:
        return path.read_bytes()
    except OSError as error:
        raise LibraryError(cannot_be_read(path, error.strerror or str(error))) from error


def read_own(path: Path, library: Path) -> str | None:
    """The text of a file such as `book.toml`, None without one.

    Raises:
        LibraryError: it is a link that leads out of the library, it cannot be read, or it is not UTF-8.
    """
    if leads_out(path, library):
        raise LibraryError(f"{shown_name(path)} is a link that leads out of the library; put the file itself there")
    if not path.is_file():
        return None
    try:
        return read_bytes(path).decode("utf-8")
    except UnicodeDecodeError as error:
        raise LibraryError(f"{shown_name(path)}: byte {error.start} is not UTF-8; save it as UTF-8") from error


def _real(path: Path) -> Path:
    return Path(os.path.realpath(path))  # Path.resolve raises for a link to itself


class _Finding:
    def __init__(self, folder: Path, library: Path) -> None:
        self._folder = folder
        self._library = library
        self.markdown: list[Path] = []
        self.ignored: list[Path] = []
        self.refused: list[tuple[Path, str]] = []
        self.unreadable: list[tuple[Path, str]] = []

    def look(self) -> None:
        for path in self._entries():
            try:
                self._sort(path)
            except OSError as error:
                self.unreadable.append((path, error.strerror or str(error)))

    def _entries(self) -> Iterator[Path]:
        for parent, folders, names in os.walk(self._folder, onerror=self._refused_by_the_system):
            folders[:] = [name for name in folders if not name.startswith(".")]
            yield from (Path(parent, name) for name in [*folders, *names] if not name.startswith("."))

    def _refused_by_the_system(self, error: OSError) -> None:
        self.unreadable.append((Path(error.filename), error.strerror or str(error)))

    def _sort(self, path: Path) -> None:
        is_markdown = path.suffix == ".md"
        if path.is_dir():
            if path.is_symlink():
                self.refused.append((path, "a link to a folder is not followed; put the folder itself there"))
        elif is_markdown and leads_out(path, self._library):
            self.refused.append(
                (path, "a link that leads out of the library is not followed; put the file itself there")
            )
        elif is_markdown and not _is_utf_8(path.relative_to(self._folder)):
            self.refused.append((path, "its name is not UTF-8; rename it"))
        elif path.is_file():
            (self.markdown if is_markdown else self.ignored).append(path)
        elif is_markdown:
            self.refused.append((path, "a link to nothing, or not a file; put the file itself there"))


def _is_utf_8(path: Path) -> bool:
    try:
        os.fsencode(path).decode("utf-8")
    except UnicodeDecodeError:
        return False
    return True
