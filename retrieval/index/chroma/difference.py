"""What leads from the collections of one snapshot to those of another."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from hashlib import sha256
from importlib.metadata import version
from pathlib import Path

from retrieval.index.chroma.contents import Positions
from retrieval.index.chroma.neighbour_search import NeighbourSearch
from retrieval.index.chroma.store import CollectionName
from retrieval.versions import sources

MOST_CHANGED = 0.1
"""Share of the records that may have come or gone since the graphs were built whole. A record that was taken out stays
in its graph as a place that no search returns, and what comes later is linked in no random order."""


@dataclass(frozen=True, slots=True)
class Difference:
    """Records to take out and to put in. A record that changed is in both."""

    folder: Path
    """Of the snapshot that has the collections to begin from."""
    search: NeighbourSearch
    """What its build found out about them."""
    gone: Mapping[CollectionName, Sequence[str]]
    """Ids."""
    new: Mapping[CollectionName, Positions]
    """Positions in the snapshot that is built."""

    @property
    def n_changed(self) -> int:
        """Records that come or go."""
        return sum(map(len, self.gone.values())) + sum(map(len, self.new.values()))

    def is_small(self, size: int) -> bool:
        """Whether graphs of `size` records are not worn out by it, and by those that were before it."""
        return self.search.changed + self.n_changed <= MOST_CHANGED * size


@cache
def collections_recipe() -> str:
    """Hash of the files of this room and of Chroma's version: what decides which records a chunk becomes."""
    digest = sha256(version("chromadb").encode())
    for part in sources(Path(__file__).parent, {".py"}):
        digest.update(part)
    return digest.hexdigest()[:16]
