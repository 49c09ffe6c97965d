"""Reuse of finished parts of a build and of verdicts on books: their inputs, files, and the version of the program."""

import platform
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from hashlib import sha256
from importlib.metadata import PackageNotFoundError, requires, version
from pathlib import Path

from pydantic import ValidationError

import pipeline
from evals.experiment import code_version
from pipeline.building.materialization import content_version
from retrieval.files.atomic_files import FileEntry, changes, write_atomically
from retrieval.files.records import dump_record, parse_record
from retrieval.files.versions import sources
from retrieval.language.vocabulary import Vocabulary
from retrieval.query_must.lint import LintFinding

Numbers = dict[str, dict[str, object]]


@dataclass(frozen=True, slots=True)
class KeptWork:
    """One finished part: a book's records, or the whole build. Key: key.

    It shows that the files are unchanged since that work, not that they are right, which the checks on them establish.
    """

    key: str
    """Hash of all inputs of the part."""
    files: tuple[FileEntry, ...]
    numbers: Numbers
    """The metadata that its assets reported, by asset name."""

    @classmethod
    def of(cls, key: str, folder: Path, paths: Iterable[Path], numbers: Numbers) -> "KeptWork":
        """Return the part with these files in `folder` as they are now."""
        return cls(key, tuple(FileEntry.of(folder, path) for path in sorted(paths)), numbers)

    def write(self, path: Path) -> None:
        """Write the record to `path`; the last step of the work."""
        write_atomically(path, dump_record(self) + b"\n")

    @classmethod
    def read(cls, path: Path, key: str) -> "KeptWork | None":
        """Return the record beside its files, if all of these are unchanged byte for byte (about 1.5 GB a second).

        None if there is no readable record, it has another key or a file changed: the work has to be done.
        """
        try:
            kept = parse_record(path.read_bytes(), cls)
        except (OSError, ValidationError):
            return None
        return kept if kept.key == key and not any(changes(path.parent, kept.files)) else None


@cache
def program_version() -> str:
    """Return a hash of the program's source files, of the versions of its dependencies, and of Python's version.

    `code_version` is the hash of `retrieval` and `evals` alone, and part of this one. Dependencies count because, for
    example, an updated markdown parser reads a book differently although no source file changed.
    """
    digest = sha256(f"{code_version()} {platform.python_version()} {platform.machine()}\0".encode())
    for name in _dependencies():
        digest.update(f"{name}\0".encode())
    for root in map(Path, pipeline.__path__):
        for part in sources(root):
            digest.update(part)
    return digest.hexdigest()


def _dependencies() -> list[str]:
    """Return the distributions that this one requires, with the installed versions."""
    try:
        wanted = requires("querymust") or []
    except PackageNotFoundError:
        return []  # run from a source folder, as the tests are where it is not installed
    names = {re.split(r"[^\w.-]", requirement)[0] for requirement in wanted if "extra ==" not in requirement}
    return [f"{name} {_installed(name)}" for name in sorted(names)]


def _installed(name: str) -> str:
    try:
        return version(name)
    except PackageNotFoundError:
        return "missing"


VERDICT_PREFIX = "checked-"
"""Prefix of the names of the files of kept verdicts."""


@dataclass(frozen=True, slots=True)
class BookVerdict:
    """The contradictions of a proposition in one book."""

    count: int
    """Number of objects checked."""
    sentences: tuple[str, ...] = ()
    findings: tuple[LintFinding, ...] = ()
    """The contradictions, if they are about predicates."""


@dataclass(frozen=True, slots=True)
class _StoredVerdict:
    key: str
    verdict: BookVerdict


def book_verdict(
    folder: Path, check: str, files: Sequence[str], vocabulary: Vocabulary, judge: Callable[[], BookVerdict]
) -> BookVerdict:
    """Return the verdict of `judge` on the records in `folder`; the kept one if it judged these very bytes before.

    Args:
        files: the records that it reads.
        judge: checks the records; it must read nothing else.
    """
    path = folder / f"{VERDICT_PREFIX}{check}.json"
    digests = [sha256((folder / name).read_bytes()).hexdigest() for name in files]
    key = content_version([program_version(), check, str(vocabulary.to_json()), *files, *digests])
    try:
        stored = parse_record(path.read_bytes(), _StoredVerdict)
    except (OSError, ValidationError):
        stored = None
    if stored is None or stored.key != key:
        stored = _StoredVerdict(key, judge())
        write_atomically(path, dump_record(stored) + b"\n")
    return stored.verdict
