"""Places to which snapshots are pushed and from which they are pulled; the only file that imports fsspec.

::

    <url>/live                     id of the snapshot that readers get; replaced last
    <url>/live.jsonl               history of the snapshots that readers got
    <url>/snapshots/<id>/...       the files of each snapshot
    <url>/snapshots/<id>/files.json  list of these files; written last of them

A place has the layout of a home, so a local folder can be read directly.
"""

from __future__ import annotations

import errno
import hashlib
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit, urlunsplit

from retrieval.errors import TransferError
from retrieval.files.atomic_files import FileEntry, make_folder, sync, write_atomically
from retrieval.files.versions import install

if TYPE_CHECKING:
    from fsspec import AbstractFileSystem


Progress = Callable[[str, int, int], None]
"""Called with the file in transfer, the bytes transferred so far, and the total."""


Tell = Callable[[int], None]
"""Called with the number of bytes transferred since the last call."""


class TransferMeter:
    """Counts transferred bytes and reports them. Any number of threads may share one.

    Args:
        progress: called with each report.
        total: bytes to transfer.
    """

    def __init__(self, progress: Progress, total: int) -> None:
        self._progress, self._total, self._done = progress, total, 0
        self._telling = threading.Lock()

    def of(self, path: str) -> Tell:
        """Return the function to call with the transferred bytes of one file."""

        def tell(more: int) -> None:
            with self._telling:
                self._done += more
                self._progress(path, self._done, self._total)

        return tell


def silent(_more: int) -> None:
    """Ignore the bytes of a second attempt, which is not progress."""


_NO_FOLDERS = frozenset({"s3", "s3a", "gs", "gcs", "az", "abfs", "abfss", "adl"})
"""Object stores: they need no folders, and creating one could create a bucket of a mistyped name."""
_OF_EXTRAS = {"s3": "s3", "s3a": "s3", "gs": "gcs", "gcs": "gcs", "http": "http", "https": "http"}
_BLOCK = 2**22
SMALL = 2**26
"""The largest number of bytes in a pointer, a history, a manifest or a list of files."""
_NO_ROOM = frozenset({errno.ENOSPC, errno.EFBIG, errno.EDQUOT})
_FORBIDDEN = frozenset({401, 403})
"""HTTP statuses."""


class Place:
    """The files below one URL. Paths are POSIX and relative to it.

    Raises:
        TransferError: no installed package handles such a URL.
    """

    def __init__(self, url: str) -> None:
        self.name = _without_secrets(url)
        """The URL without secrets, for messages."""
        self._files, root = _opened(url, self.name)
        self._root = root.rstrip("/")
        protocol = self._files.protocol
        names = {protocol} if isinstance(protocol, str) else set(protocol)
        self._has_folders = not names & _NO_FOLDERS
        self.folder = Path(self._root) if "file" in names else None
        """The local folder, or None if the URL is elsewhere."""

    def read(self, path: str) -> bytes | None:
        """Return the content of a small file, or None if it does not exist.

        Raises:
            TransferError: it cannot be read, or has more than `SMALL` bytes.
        """
        with self._translating_errors("read", path):
            try:
                # Cached listings may be out of date.
                self._files.invalidate_cache()
                with self._files.open(self._at(path), "rb") as file:
                    content: bytes = file.read(SMALL + 1)
            except (FileNotFoundError, NotADirectoryError) as error:
                if isinstance(error.__cause__, Exception) and not isinstance(error.__cause__, FileNotFoundError):
                    raise error.__cause__ from None  # fsspec says of a web server that does not answer that it has none
                return None
            if len(content) > SMALL:
                raise self._too_long(path, SMALL)
            return content

    def write(self, path: str, content: bytes) -> None:
        """Write a small file atomically: readers see the old one or the new one. Raises TransferError."""
        with self._translating_errors("written", path):
            if self.folder is not None:
                write_atomically(self.folder / path, content)
                return
            self._make_folder(path)
            self._files.pipe_file(self._at(path), content)

    def send(self, source: Path, path: str, tell: Tell) -> None:
        """Copy a local file to the place. Raises TransferError."""
        with self._translating_errors("written", path):
            self._make_folder(path)
            with _counting(source.stat().st_size, tell) as callback:
                self._files.put_file(str(source), self._at(path), callback=callback)
            if self.folder is not None:
                sync(self.folder / path)
                sync((self.folder / path).parent)

    def fetch(self, path: str, target: Path, size: int, tell: Tell) -> None:
        """Copy a file of the place to this machine, creating the folder.

        Raises:
            TransferError: it does not exist, cannot be read, or has more than `size` bytes, of which `size` are copied.
            OSError: this machine's disk is full.
        """
        target.parent.mkdir(parents=True, exist_ok=True)
        with (
            self._translating_errors("read", path),
            self._files.open(self._at(path), "rb") as there,
            target.open("wb") as here,
        ):
            left = size
            while block := there.read(min(_BLOCK, left + 1)):
                if len(block) > left:
                    raise self._too_long(path, size)
                try:
                    here.write(block)
                except OSError as error:
                    raise _NoRoomHereError(error.errno, error.strerror, str(target)) from error
                left -= len(block)
                tell(len(block))
            tell(left)

    def sha256(self, path: str) -> str | None:
        """Read a file of the place and return its hash, or None if it does not exist. Raises TransferError."""
        digest = hashlib.sha256()
        with self._translating_errors("read", path):
            try:
                self._files.invalidate_cache()
                with self._files.open(self._at(path), "rb") as file:
                    while block := file.read(_BLOCK):
                        digest.update(block)
            except (FileNotFoundError, NotADirectoryError):
                return None
        return digest.hexdigest()

    def size(self, path: str) -> int | None:
        """Return the size of a file in bytes, or None if it does not exist. Raises TransferError."""
        with self._translating_errors("read", path):
            try:
                self._files.invalidate_cache()
                n_bytes = self._files.info(self._at(path))["size"]
            except (FileNotFoundError, NotADirectoryError):
                return None
            return None if n_bytes is None else int(n_bytes)

    def remove(self, path: str) -> None:
        """Remove a file or a folder, if it exists. Raises TransferError."""
        with self._translating_errors("removed", path):
            self._files.invalidate_cache()
            if self._files.exists(self._at(path)):
                self._files.rm(self._at(path), recursive=True)

    def folders(self, path: str) -> tuple[str, ...]:
        """Return the names of a folder's entries; none if it does not exist. Raises TransferError."""
        with self._translating_errors("read", path):
            try:
                self._files.invalidate_cache()
                folders = self._files.ls(self._at(path), detail=False)
            except (FileNotFoundError, NotADirectoryError):
                return ()
            return tuple(sorted(str(folder).rstrip("/").rsplit("/", 1)[-1] for folder in folders))

    def _too_long(self, path: str, size: int) -> TransferError:
        return TransferError(f"{self.name}/{path} has more than {size:,} bytes; do not pull from there")

    def _at(self, path: str) -> str:
        return f"{self._root}/{path}"

    def _make_folder(self, path: str) -> None:
        if self.folder is not None:
            make_folder((self.folder / path).parent)
        elif self._has_folders:
            self._files.makedirs(self._at(path).rsplit("/", 1)[0], exist_ok=True)

    @contextmanager
    def _translating_errors(self, doing: str, path: str) -> Iterator[None]:
        """Turn errors of any library into a `TransferError` with one sentence of ours."""
        where = f"{self.name}/{path}"
        try:
            yield
        except (TransferError, _NoRoomHereError):
            raise
        except FileNotFoundError as error:
            if doing == "read":
                raise TransferError(f"{where} is missing; push again from the home where it was built") from error
            raise TransferError(
                f"{self.name} does not exist; create it (such as a bucket), or name another location"
            ) from error
        except Exception as error:
            reason = str(error) or type(error).__name__
            if isinstance(error, PermissionError) or getattr(error, "status", None) in _FORBIDDEN:
                sentence = (
                    f"{where} may not be {doing} ({reason}); give this process permission, or name another location"
                )
            elif isinstance(error, OSError) and error.errno in _NO_ROOM:
                sentence = f"{self.name} has no room left ({error.strerror}); make room there, and push again"
            else:
                sentence = (
                    f"{where} could not be {doing} ({type(error).__name__}: {reason}); check that {self.name} "
                    "responds, and run the same command again"
                )
            raise TransferError(sentence) from error


class _NoRoomHereError(OSError):
    """The error that this machine's disk is full, rather than the place."""


def _opened(url: str, name: str) -> tuple[AbstractFileSystem, str]:
    from fsspec.core import url_to_fs

    try:
        files, root = url_to_fs(url)
    except ImportError as error:
        extra = _OF_EXTRAS.get(url.partition("://")[0])
        how = install(extra) if extra else str(error)
        raise TransferError(f"{name} cannot be reached without another package; run: {how}") from error
    except Exception as error:  # each protocol has its own errors for addresses
        raise TransferError(
            f"{name} is not a location for snapshots ({error}); give a folder, or an address such as s3://BUCKET/FOLDER"
        ) from error
    return files, str(root)


@contextmanager
def _counting(size: int, tell: Tell) -> Iterator[Any]:
    """Yield fsspec's callback, and afterwards report the bytes that the file system did not report itself."""
    from fsspec.callbacks import Callback

    told = 0

    class Counted(Callback):  # type: ignore[misc]
        def relative_update(self, inc: int = 1) -> None:
            nonlocal told
            inc = min(inc, size - told)
            told += inc
            tell(inc)

        def absolute_update(self, value: int) -> None:
            self.relative_update(value - told)

    yield Counted()
    tell(size - told)


def _without_secrets(url: str) -> str:
    parts = urlsplit(url)
    if "@" not in parts.netloc:
        return url.rstrip("/")
    return urlunsplit(parts._replace(netloc=parts.netloc.rpartition("@")[2])).rstrip("/")


AT_ONCE = 8


def each_of(files: Sequence[FileEntry], bring: Callable[[FileEntry], bool]) -> int:
    """Call `bring` for every file, for the last one after all others, and return how often it returned True.

    The first failure is raised, and files that have not begun by then are skipped.
    """
    *others, last = files
    with ThreadPoolExecutor(AT_ONCE) as pool:
        try:
            brought = sum(pool.map(bring, others))
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            raise
    return brought + bring(last)
