"""Which version of this program made something, part by part: hashes of its sources."""

from collections.abc import Collection, Iterator
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
    return sha256(b"".join(sources(Path(__file__).parent / room, _SUFFIXES))).hexdigest()[:16]


def sources(root: Path, suffixes: Collection[str], under: str = "") -> Iterator[bytes]:
    """Every file below a folder that has one of these suffixes, in the order of their paths: its name, its content.

    Args:
        root: the folder.
        suffixes: with their points.
        under: what stands before each name.
    """
    for path in sorted(root.rglob("*")):
        if path.suffix in suffixes:
            yield f"{under}{path.relative_to(root).as_posix()}\0".encode()
            yield path.read_bytes()
