"""Which version of this program made something, part by part: hashes of its sources."""

from dataclasses import dataclass
from functools import cache
from hashlib import sha256
from pathlib import Path

_SUFFIXES = {".py", ".toml", ".json"}


@dataclass(frozen=True, slots=True)
class Versions:
    """The parts of this program that decide what a snapshot holds and how it is searched."""

    chunker: str
    """Of `retrieval.ingest`."""
    predicates: str
    """Of `retrieval.query_must`."""
    ranker: str
    """Of `retrieval.search`, its weights and trees among it."""

    @classmethod
    def now(cls) -> "Versions":
        """Of the sources as they were at the first call."""
        return cls(_version("ingest"), _version("query_must"), _version("search"))


@cache
def _version(room: str) -> str:
    digest = sha256()
    root = Path(__file__).parent / room
    for path in sorted(root.rglob("*")):
        if path.suffix in _SUFFIXES:
            digest.update(f"{path.relative_to(root).as_posix()}\0".encode())
            digest.update(path.read_bytes())
    return digest.hexdigest()[:16]
