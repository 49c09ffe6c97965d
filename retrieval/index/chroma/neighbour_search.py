"""How what asks the collections finds the nearest chunks: by Chroma's graphs, or by comparing every vector."""

import json
from dataclasses import asdict, dataclass
from pathlib import Path

from pydantic import ValidationError

from retrieval.atomic_files import write_atomically
from retrieval.index.chroma.hnsw import HnswSettings
from retrieval.index.chroma.place import NOWHERE, why_nowhere
from retrieval.records import parse_record

NEIGHBOUR_SEARCH_FILE = "neighbour_search.json"
EXACT_UP_TO = 10_000
"""So many chunks are compared one by one sooner than Chroma answers: 1.7 ms against 5.8 at 256 dimensions, 6.4 against
12.8 at 1,536, k = 15, measured side by side on two shared cores."""


@dataclass(frozen=True, slots=True)
class NeighbourSearch:
    """What the build of a snapshot's collections found out about them.

    It is beside the manifest and not in it: each of Chroma's graphs is another, and the same library has to give
    the same id.
    """

    exact: bool
    """Whether every vector is compared and the graphs are left alone."""
    reason: str
    """A sentence: why."""
    place: str
    """`EMBEDDED`, host and port of the server that holds the collections, or `NOWHERE`."""
    hnsw: HnswSettings | None
    """Of the graphs that were kept; None where there are none."""
    builds: int
    """How often the graphs were built until they were sound, or nothing more was tried."""
    ann_recall: float | None
    """Of the graphs that were kept, at 15, against the exact scan; None where there are none."""
    faults: tuple[str, ...] = ()
    """What is wrong with the graphs that were kept."""
    changed: int = 0
    """Records that were put in or taken out since the graphs were built whole: each leaves them a little worse."""
    recipe: str = ""
    """Hash of the code that wrote the collections; collections of another recipe hold other records."""
    tried: str = ""
    """`seal_version` of the files that were tried; empty for those on a server, which may change at any time."""

    @classmethod
    def without_collections(cls, n_chunks: int) -> "NeighbourSearch":
        """Of a library that is too large for embedded ones."""
        return cls(True, why_nowhere(n_chunks), NOWHERE, None, 0, None)

    def __str__(self) -> str:
        return f"{'exact scan' if self.exact else 'HNSW graphs'}: {self.reason}"

    def write(self, folder: Path) -> None:
        """Write it beside the manifest of the snapshot in `folder`."""
        write_atomically(folder / NEIGHBOUR_SEARCH_FILE, json.dumps(asdict(self), indent=1) + "\n")

    @classmethod
    def read(cls, folder: Path) -> "NeighbourSearch | None":
        """What was written; None where nothing readable was, and nothing is known of the graphs."""
        try:
            return parse_record((folder / NEIGHBOUR_SEARCH_FILE).read_bytes(), cls)
        except (OSError, ValidationError):
            return None
