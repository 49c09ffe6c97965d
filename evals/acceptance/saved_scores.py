"""The scores of one evaluation in one file, to compare a later one with: what `querymust eval --save` writes."""

import json
from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path

from pydantic import ValidationError

from evals.errors import AcceptanceError
from evals.scored_questions import ScoredQuestion
from retrieval.atomic_files import write_atomically
from retrieval.records import dump_record, parse_record

FORMAT = "querymust scores 1"


@dataclass(frozen=True, slots=True)
class SavedScores:
    """What the strategies did with each question. No times: the same index gives the same bytes."""

    format: str
    snapshot: str
    rows: tuple[ScoredQuestion, ...]
    """Without what stood behind the first result: rankings are long, and ranks and scores are kept."""

    @classmethod
    def of(cls, snapshot: str, rows: Iterable[ScoredQuestion]) -> "SavedScores":
        """What is kept of the rows of an evaluation."""
        return cls(FORMAT, snapshot, tuple(_short(row) for row in rows))

    @classmethod
    def read(cls, path: Path) -> "SavedScores":
        """Read what `write` wrote.

        Raises:
            FileNotFoundError: no such file.
            AcceptanceError: it is not such a file, or cannot be read.
        """
        advice = "give a file that `querymust eval --save FILE` wrote"
        try:
            found = parse_record(path.read_bytes(), cls)
        except FileNotFoundError:
            raise
        except OSError as error:
            raise AcceptanceError(f"{path} cannot be read ({error.strerror}); {advice}") from error
        except ValidationError as error:
            raise AcceptanceError(f"{path} does not hold saved scores; {advice}") from error
        if found.format != FORMAT:
            raise AcceptanceError(f"{path} holds {found.format!r} and not {FORMAT!r}; save it again: {advice}")
        return found

    def write(self, path: Path) -> None:
        """Write the file; readers see the old one or the new one.

        Raises:
            OSError: it cannot be written.
        """
        write_atomically(path, json.dumps(json.loads(dump_record(self)), ensure_ascii=False, indent=1) + "\n")

    def of_strategy(self, name: str) -> tuple[ScoredQuestion, ...]:
        """The rows of one strategy."""
        return tuple(row for row in self.rows if row.strategy == name)


def _short(row: ScoredQuestion) -> ScoredQuestion:
    return replace(row, chunk_ids=row.chunk_ids[:1], deep_chunk_ids=(), deep_scores=(), milliseconds=0.0)
