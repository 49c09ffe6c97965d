"""What a check found in one book, kept beside its records until these, the program or the words are others."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

from pydantic import ValidationError

from pipeline.building.materialization import content_version
from pipeline.building.program import program_version
from retrieval.atomic_files import write_atomically
from retrieval.query_must.lint import Finding
from retrieval.query_must.vocabulary.vocabulary import Vocabulary
from retrieval.records import dump_record, parse_record

PREFIX = "checked-"
"""Begins the names of the files."""


@dataclass(frozen=True, slots=True)
class BookVerdict:
    """What contradicts a proposition in one book."""

    count: int
    """Of what was looked at."""
    sentences: tuple[str, ...] = ()
    findings: tuple[Finding, ...] = ()
    """Where the contradictions are about predicates."""


@dataclass(frozen=True, slots=True)
class _Kept:
    key: str
    verdict: BookVerdict


def book_verdict(
    folder: Path, check: str, files: Sequence[str], vocabulary: Vocabulary, judge: Callable[[], BookVerdict]
) -> BookVerdict:
    """What `judge` says of the records in `folder`; what it said before where it looked at these very bytes.

    Args:
        folder: of the book's records.
        check: which check.
        files: the records that it looks at.
        vocabulary: of the library.
        judge: looks at them; it must look at nothing else.
    """
    path = folder / f"{PREFIX}{check}.json"
    digests = [sha256((folder / name).read_bytes()).hexdigest() for name in files]
    key = content_version([program_version(), check, str(vocabulary.to_json()), *files, *digests])
    try:
        kept = parse_record(path.read_bytes(), _Kept)
    except (OSError, ValidationError):
        kept = None
    if kept is None or kept.key != key:
        kept = _Kept(key, judge())
        write_atomically(path, dump_record(kept) + b"\n")
    return kept.verdict
