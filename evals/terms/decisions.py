"""What a person said to suggested terms: kept in the home, so that nothing is proposed twice."""

from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Literal

from retrieval.records import dump_record, read_jsonl

FILE_NAME = "terms.jsonl"
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
    path = home / FILE_NAME
    found = read_jsonl(path, DecidedTerm) if path.is_file() else ()
    return frozenset((each.word, each.means) for each in found)


def keep_decision(home: Path, word: str, means: str, decision: Decision) -> None:
    """Append a decision."""
    line = dump_record(DecidedTerm(datetime.now(UTC).isoformat(timespec="seconds"), word, means, decision))
    with (home / FILE_NAME).open("ab", buffering=0) as file:
        file.write(line + b"\n")
