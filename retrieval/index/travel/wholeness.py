"""Whether a snapshot is whole before it leaves, and after it has arrived."""

from pathlib import Path

from retrieval.errors import IndexCorruptError
from retrieval.index.chroma.place import EMBEDDED, place_of
from retrieval.index.chroma.seal import broken
from retrieval.index.snapshot.snapshot import Snapshot, open_snapshot


def open_whole(home: Path, snapshot_id: str = "live") -> Snapshot:
    """Open a snapshot whose every file, Chroma's among them, is byte for byte as it was built.

    Collections are not tried again: the bytes are those that the build tried. Those on a server stay there, and of a
    large library there are none.

    Raises:
        IndexMissingError: nothing is live, or there is no such snapshot.
        IndexCorruptError: counts, hashes, seal or schema version disagree.
    """
    snapshot = open_snapshot(home, snapshot_id)
    search = snapshot.neighbour_search
    if (search.place if search else place_of(None, len(snapshot))) == EMBEDDED:
        for sentence in broken(snapshot.folder / "chroma"):
            snapshot.close()
            raise IndexCorruptError(f"snapshot {snapshot.id} in {home}: chroma: {sentence}; build the index again")
    return snapshot
