"""What a person said to suggested terms: kept in the home, so that nothing is proposed twice."""

from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Literal

from retrieval.records import append_record, read_kept

TERMS_FILE = "terms.jsonl"
Decision = Literal["accepted", "rejected"]


@dataclass(frozen=True, slots=True)
class DecidedTerm:
    """One decision. Key: (word, means); the last one counts."""

    at: str
    """ISO 8601, UTC."""
    word: str
    means: str
    decision: Decision


def decided_terms(home: Path) -> frozenset[tuple[str, str]]:
    """Every (word, means) that was decided in a home. Raises IndexCorruptError."""
    return frozenset((each.word, each.means) for each in read_kept(home / TERMS_FILE, DecidedTerm))


def keep_decision(home: Path, word: str, means: str, decision: Decision) -> None:
    """Append a decision."""
    now = datetime.now(UTC).isoformat(timespec="seconds")
    append_record(home / TERMS_FILE, DecidedTerm(now, word, means, decision))
