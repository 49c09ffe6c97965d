"""Cached results of the checks of each book, valid while its records are unchanged."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

from pydantic import ValidationError

from pipeline.building.kept_work import program_version
from pipeline.building.materialization import content_version
from retrieval.files.atomic_files import write_atomically
from retrieval.files.records import dump_record, parse_record
from retrieval.language.vocabulary import Vocabulary
from retrieval.query_must.lint import LintFinding

PREFIX = "checked-"
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
    path = folder / f"{PREFIX}{check}.json"
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
