"""Answers that were paid for, kept by what was asked: nothing is paid twice."""

import re
from dataclasses import dataclass
from pathlib import Path

from pydantic import ValidationError

from retrieval.atomic_files import write_atomically
from retrieval.models.chat import Answered
from retrieval.records import dump_record, parse_record

_UNSAFE = re.compile(r"[^A-Za-z0-9._-]+")


@dataclass(frozen=True, slots=True)
class KeptAnswer:
    """The last answer about a table."""

    answered: Answered
    times: int
    """How often it was answered; the one before was of no use."""


@dataclass(frozen=True, slots=True)
class AnswerCache:
    """A folder with a file for each table that was answered, written whole or not at all."""

    folder: Path
    model: str
    prompt: str
    """Version of the prompt."""

    def path(self, key: str) -> Path:
        """Where the answer about the table with this hash is kept."""
        return self.folder / _UNSAFE.sub("_", self.model) / self.prompt / f"{key}.json"

    def get(self, key: str) -> KeptAnswer | None:
        """What was answered; None where nothing readable was."""
        try:
            return parse_record(self.path(key).read_bytes(), KeptAnswer)
        except (OSError, ValidationError):
            return None

    def put(self, key: str, kept: KeptAnswer) -> None:
        """Keep an answer; it replaces the one before."""
        write_atomically(self.path(key), dump_record(kept))
