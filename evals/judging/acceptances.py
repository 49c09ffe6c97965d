"""What people accepted of what a check found: it does not hold a promotion again.

::

    <home>/accepted.jsonl
"""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path

from retrieval.atomic_files import write_atomically
from retrieval.records import dump_record, read_jsonl

ACCEPTANCES_FILE = "accepted.jsonl"

HOW = (
    "fix the text, or let it go live as it was read: querymust build --accept REASON, "
    "or in Dagster the job promote with `accept` in its config"
)


@dataclass(frozen=True, slots=True)
class Acceptance:
    """Findings of one check that a person accepted. Key: (check, at)."""

    check: str
    reason: str
    at: datetime
    """UTC."""
    findings: tuple[str, ...]
    """`finding_id` of each."""


def finding_id(sentence: str) -> str:
    """A short name of what a check found, the same as long as its sentence is."""
    return sha256(sentence.encode("utf-8", "surrogatepass")).hexdigest()[:12]


def unaccepted(home: Path, check: str, findings: Iterable[str]) -> tuple[str, ...]:
    """The ids that nobody accepted yet."""
    accepted = {finding for each in _acceptances(home) if each.check == check for finding in each.findings}
    return tuple(finding for finding in findings if finding not in accepted)


def accept(home: Path, check: str, findings: Iterable[str], reason: str) -> None:
    """Remember that a person accepted these findings, and why."""
    made = Acceptance(check, reason, datetime.now(UTC).replace(microsecond=0), tuple(findings))
    write_atomically(
        home / ACCEPTANCES_FILE, b"".join(dump_record(each) + b"\n" for each in (*_acceptances(home), made))
    )


def _acceptances(home: Path) -> tuple[Acceptance, ...]:
    path = home / ACCEPTANCES_FILE
    return tuple(read_jsonl(path, Acceptance)) if path.is_file() else ()
