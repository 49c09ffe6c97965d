"""Verdicts of the gate and accepted findings, stored in the home, readable without Dagster.

::

    <home>/gate/<check>.json    the last verdict of each check
    <home>/refused.jsonl        each snapshot that a check refused
"""

from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path
from typing import Literal

from pydantic import ValidationError

from retrieval.files.atomic_files import write_atomically
from retrieval.files.records import append_record, dump_record, parse_record, read_kept
from retrieval.index.snapshot.live import live_id, promotions, were_live

FOLDER, REFUSED = "gate", "refused.jsonl"


@dataclass(frozen=True, slots=True)
class CheckVerdict:
    """The last verdict of one check. Key: check."""

    check: str
    passed: bool
    blocks: bool
    """Whether its failure prevents going live; others only warn."""
    says: str
    snapshot: str | None
    """The snapshot that it judged; None for the records of the books, before there is a snapshot."""
    at: datetime
    """UTC."""

    @classmethod
    def now(cls, check: str, says: str, snapshot: str | None, *, passed: bool, blocks: bool) -> "CheckVerdict":
        """Return a verdict at this moment."""
        return cls(check, passed, blocks, says, snapshot, datetime.now(UTC).replace(microsecond=0))

    @property
    def refuses(self) -> bool:
        """Whether it prevents a candidate from going live."""
        return self.blocks and not self.passed


@dataclass(frozen=True, slots=True)
class Refusal:
    """A check that prevented a snapshot from going live. Key: (snapshot, check)."""

    snapshot: str
    check: str
    at: datetime
    """UTC, of the first refusal."""


@dataclass(frozen=True, slots=True)
class GateState:
    """The verdict of the gate on the newest candidate. Key: snapshot."""

    verdict: Literal["held", "forced", "refused", "not judged"]
    """`forced`: it is live although it was refused. `not judged`: a check is pending, or no verdicts are stored."""
    snapshot: str | None
    """The candidate; None if none was built."""
    at: datetime | None
    """Time of the last relevant check; UTC."""
    reasons: tuple[str, ...]
    """Reasons against it, as `check: sentence`."""
    forced: str | None = None
    """Why it went live nevertheless."""
    warnings: tuple[str, ...] = ()
    """What failed without preventing it from going live, as `check: sentence`; empty if it is forced or refused."""


def keep_verdict(home: Path, verdict: CheckVerdict) -> None:
    """Store a check's verdict in place of its last one; refused snapshots remain recorded."""
    write_atomically(home / FOLDER / f"{verdict.check}.json", dump_record(verdict) + b"\n")
    if not verdict.refuses or verdict.snapshot is None:
        return
    if (verdict.snapshot, verdict.check) not in {(refusal.snapshot, refusal.check) for refusal in refusals(home)}:
        append_record(home / REFUSED, Refusal(verdict.snapshot, verdict.check, verdict.at))


def refusals(home: Path) -> tuple[Refusal, ...]:
    """Return every refusal, the oldest first; unreadable lines are skipped."""
    path, refusals = home / REFUSED, []
    for line in path.read_bytes().splitlines() if path.is_file() else ():
        with suppress(ValidationError):
            refusals.append(parse_record(line, Refusal))
    return tuple(refusals)


def kept_verdicts(home: Path) -> tuple[CheckVerdict, ...]:
    """Return the last verdict of every check, in the order of their names; unreadable files are skipped."""
    verdicts = []
    for path in sorted((home / FOLDER).glob("*.json")):
        try:
            verdicts.append(parse_record(path.read_bytes(), CheckVerdict))
        except (OSError, ValidationError):
            continue
    return tuple(verdicts)


def gate_state(home: Path, candidate: str | None) -> GateState:
    """Return the verdict of the gate on a candidate, from the verdicts stored in the home.

    Raises:
        IndexCorruptError: the live pointer is damaged.
    """
    about = [verdict for verdict in kept_verdicts(home) if verdict.snapshot in {None, candidate}]
    reasons = tuple(f"{verdict.check}: {verdict.says}" for verdict in about if verdict.refuses)
    at = max((verdict.at for verdict in about), default=None)
    is_live = candidate is not None and candidate == live_id(home)
    forced = _forced(home, candidate) if is_live else None
    if forced is not None:
        return GateState("forced", candidate, at, reasons, forced)
    if reasons:
        return GateState("refused", candidate, at, reasons)
    went_live = is_live or candidate in were_live(home)  # otherwise a check of it may still be pending
    judged = went_live and any(verdict.snapshot is not None for verdict in about)
    warnings = tuple(f"{verdict.check}: {verdict.says}" for verdict in about if not verdict.passed)
    return GateState("held" if judged else "not judged", candidate, at, (), warnings=warnings)


def _forced(home: Path, live: str | None) -> str | None:
    moves: Iterable[str | None] = (move.forced for move in promotions(home)[-1:] if move.snapshot == live)
    return next(iter(moves), None)


ACCEPTANCES_FILE = "accepted.jsonl"

HOW = (
    "fix the text, or accept it as it was read: querymust build --accept REASON, "
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
    """Return a short id of a finding, a hash of its sentence."""
    return sha256(sentence.encode("utf-8", "surrogatepass")).hexdigest()[:12]


def unaccepted(home: Path, check: str, findings: Iterable[str]) -> tuple[str, ...]:
    """Return the ids of findings that are not accepted yet."""
    known = read_kept(home / ACCEPTANCES_FILE, Acceptance)
    accepted = {finding for acceptance in known if acceptance.check == check for finding in acceptance.findings}
    return tuple(finding for finding in findings if finding not in accepted)


def accept(home: Path, check: str, findings: Iterable[str], reason: str) -> None:
    """Record that a person accepted these findings, and why."""
    made = Acceptance(check, reason, datetime.now(UTC).replace(microsecond=0), tuple(findings))
    append_record(home / ACCEPTANCES_FILE, made)
