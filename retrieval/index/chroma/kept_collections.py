"""The collections of one snapshot: where they are, and whether they can be asked."""

from collections.abc import Iterator
from functools import cached_property
from pathlib import Path

from retrieval.errors import IndexCorruptError, IndexMissingError
from retrieval.index.chroma.neighbour_search import NeighbourSearch
from retrieval.index.chroma.place import EMBEDDED, NOWHERE, place_of
from retrieval.index.chroma.seal import broken, is_writable
from retrieval.index.chroma.server import ChromaServer
from retrieval.index.chroma.store import ChromaStore


class KeptCollections:
    """Opens what a build left; Chroma is not imported before that.

    Args:
        snapshot: folder of the snapshot, which is called by its id.
        server: asked instead, if there is one.
        n_chunks: of the snapshot.
    """

    def __init__(self, snapshot: Path, server: ChromaServer | None, n_chunks: int) -> None:
        self._snapshot, self._server, self._n_chunks = snapshot, server, n_chunks

    @property
    def folder(self) -> Path:
        """Of Chroma's files, where it is embedded."""
        return self._snapshot / "chroma"

    @cached_property
    def search(self) -> NeighbourSearch | None:
        """What the build found out about them; None where that was lost."""
        return NeighbourSearch.read(self._snapshot)

    @property
    def place(self) -> str:
        """Where they are to be asked, as `NeighbourSearch.place` calls it; `NOWHERE`: there are none to ask."""
        found = None if self._server is not None or self.search is None else self.search.place
        return found if found in {EMBEDDED, NOWHERE} else place_of(self._server, self._n_chunks)

    @property
    def are_left_alone(self) -> bool:
        """Whether every vector is compared instead: graphs that are not known to be sound are not asked, nor files that
        this process may only read, because Chroma wants to write where it reads."""
        if self.search is None or self.search.exact or self.search.place != place_of(self._server, self._n_chunks):
            return True
        return self.are_read_only

    @cached_property
    def are_read_only(self) -> bool:
        """Whether Chroma's files are here and cannot be written."""
        return self.place == EMBEDDED and not is_writable(self.folder)

    def broken_seals(self) -> Iterator[str]:
        """A sentence for each of Chroma's files here that is not as the build left it, without asking Chroma."""
        return broken(self.folder) if self.place == EMBEDDED else iter(())

    def open(self) -> ChromaStore:
        """Chroma's own; their seal is compared first.

        Raises:
            IndexCorruptError: the files are not as the build left them.
            StoreUnavailableError: the server cannot be reached.
            IndexMissingError: a large library has no collections.
        """
        name = self._snapshot.name
        if self.place == NOWHERE:
            raise IndexMissingError(
                f"snapshot {name} of {self._n_chunks:,} chunks has no collections; to have them, start a Chroma "
                "server, name it as `chroma` in rag.yaml, and build again"
            )
        for sentence in self.broken_seals():
            raise IndexCorruptError(f"snapshot {name}: {sentence}; build the index again")
        return ChromaStore.existing(self.folder, self._server)
