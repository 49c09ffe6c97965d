"""The leaderboard file: the scores of all strategies, stored beside the rows from which they are computed."""

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path

from retrieval.errors import IndexCorruptError
from retrieval.files.atomic_files import write_atomically

LEADERBOARD_FILE = "leaderboard.json"


@dataclass(frozen=True, slots=True)
class Leaderboard:
    """Values by strategy and metric over one snapshot; an undefined metric is None."""

    snapshot: str
    n_questions: int
    strategies: Mapping[str, Mapping[str, float | None]]

    def write(self, folder: Path) -> None:
        """Write it to `folder` atomically."""
        write_atomically(folder / LEADERBOARD_FILE, json.dumps(asdict(self), indent=1) + "\n")

    @classmethod
    def read(cls, folder: Path) -> "Leaderboard":
        """Read what `write` wrote.

        Raises:
            FileNotFoundError: there is none.
            IndexCorruptError: it is damaged.
        """
        path = folder / LEADERBOARD_FILE
        try:
            values = json.loads(path.read_text(encoding="utf-8"))
            return cls(values["snapshot"], values["n_questions"], values["strategies"])
        except (ValueError, KeyError, TypeError) as error:
            raise IndexCorruptError(f"{path} cannot be read ({error}); delete it and run: querymust eval") from error
