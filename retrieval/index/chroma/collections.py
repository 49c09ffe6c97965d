"""The two Chroma collections of a snapshot: built, copied from a near snapshot, opened."""

import shutil
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, replace
from functools import cache, cached_property
from hashlib import sha256
from importlib.metadata import version
from pathlib import Path

from retrieval.errors import IndexCorruptError, IndexMissingError, RetrievalError, VectorDBWriteError
from retrieval.files.versions import sources
from retrieval.index.chroma.soundness import (
    EMBEDDED,
    EXACT_UP_TO,
    NOWHERE,
    ChunkColumns,
    CollectionsTrial,
    NeighbourSearch,
    Positions,
    broken,
    copy_sealed,
    is_writable,
    place_of,
    seal,
    seal_version,
    try_collections,
)
from retrieval.index.chroma.store import BATCH, TRIES, ChromaServer, ChromaStore, CollectionName, HnswSettings
from retrieval.types import Chunk, MetadataValue

MOST_CHANGED = 0.1
"""Share of the records that may have come or gone since the graphs were built whole. A record that was taken out stays
in its graph as a place that no search returns, and what comes later is linked in no random order."""


@dataclass(frozen=True, slots=True)
class CollectionsDifference:
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


Tell = Callable[[str, int, int], None]


def build_collections(
    folder: Path,
    server: ChromaServer | None,
    chunks: Sequence[Chunk],
    contents: ChunkColumns,
    tell: Tell,
    difference: CollectionsDifference | None = None,
) -> NeighbourSearch:
    """Make both collections; deaf graphs are built again in another order and with more neighbours.

    Graphs that stay deaf are kept, and what would ask them compares every vector instead: luck costs time, never an
    index. A library that is too large for embedded collections gets none: `iterative` alone would ask them.

    Args:
        folder: of Chroma's files, where it is embedded; created again.
        server: filled instead, if there is one.
        chunks: in the order of their ids.
        contents: the same chunks, by position.
        tell: called as the work goes on.
        difference: what leads to these collections from those of another snapshot. They begin as a copy of those, are
            tried as new ones are, and are built whole where they are not sound.

    Raises:
        IndexCorruptError: Chroma cannot read what it wrote.
        StoreUnavailableError: the server cannot be reached.
        VectorDBWriteError: Chroma could not write, on a full disk for one.
        OSError: nor could we.
    """
    if place_of(server, len(chunks)) == NOWHERE:
        return NeighbourSearch.without_collections(len(chunks))
    with _writing(folder, server):
        begun = None
        if difference is not None and server is None:
            begun = _begun(folder, difference, chunks, contents, tell)
        return begun or _built(folder, server, chunks, contents, tell)


@contextmanager
def _writing(folder: Path, server: ChromaServer | None) -> Iterator[None]:
    try:
        yield
    except (RetrievalError, OSError):
        raise
    except Exception as error:  # Chroma's own and SQLite's have nothing else in common
        target = str(folder) if server is None else place_of(server, 0)
        raise VectorDBWriteError(
            f"Chroma could not write {target} ({type(error).__name__}: {error}); make room there, and run it again"
        ) from error


def _built(
    folder: Path, server: ChromaServer | None, chunks: Sequence[Chunk], contents: ChunkColumns, tell: Tell
) -> NeighbourSearch:
    """Collections from nothing."""
    for builds, hnsw in enumerate(TRIES, start=1):
        if server is None:
            shutil.rmtree(folder, ignore_errors=True)
        _write(ChromaStore(folder, server), chunks, contents, hnsw, builds - 1, tell)
        trial, tried = _tried(folder, server, contents, (), tell)
        if not trial.faults:
            break
    faults = tuple(fault.detail for fault in trial.faults)
    exact, reason = _chosen(len(chunks), builds, faults)
    return NeighbourSearch(
        exact,
        reason,
        place_of(server, len(chunks)),
        hnsw,
        builds,
        trial.ann_recall,
        faults,
        recipe=collections_recipe(),
        tried=tried,
    )


def _tried(
    folder: Path, server: ChromaServer | None, contents: ChunkColumns, also: Sequence[int], tell: Tell
) -> tuple[CollectionsTrial, str]:
    """How collections do that are written, and `NeighbourSearch.tried`. They are sealed first, and whether Chroma left
    the sealed files alone as it was asked is compared."""
    if server is None:
        seal(folder)
    tell("probing", 0, len(contents))
    with closing(ChromaStore.existing(folder, server)) as store:
        trial = try_collections(store, contents, also=also)
    tell("probing", len(contents), len(contents))
    if server is not None:
        return trial, ""
    if any(broken(folder)):
        seal(folder)
        return trial, ""
    return trial, seal_version(folder)


def _begun(
    folder: Path, difference: CollectionsDifference, chunks: Sequence[Chunk], contents: ChunkColumns, tell: Tell
) -> NeighbourSearch | None:
    """Collections that begin as a copy of others; None where they do not come out sound."""
    before = difference.search
    shutil.rmtree(folder, ignore_errors=True)
    copy_sealed(difference.folder / "chroma", folder)
    try:
        with closing(ChromaStore.existing(folder)) as store:
            _take_out(store, difference.gone)
            _put_in(store, difference.new, chunks, contents, difference.n_changed, tell)
        also = [int(at) for places in difference.new.values() for at in places]
        trial, tried = _tried(folder, None, contents, also, tell)
    except Exception:  # whatever Chroma says of a copy, a build from nothing does without it
        return None
    if trial.faults:
        return None
    exact, reason = _chosen(len(chunks), before.builds, ())
    return replace(
        before,
        exact=exact,
        reason=reason,
        ann_recall=trial.ann_recall,
        changed=before.changed + difference.n_changed,
        tried=tried,
    )


def _chosen(n_chunks: int, builds: int, faults: Sequence[str]) -> tuple[bool, str]:
    """Whether to compare every vector, and why."""
    if n_chunks <= EXACT_UP_TO:
        return True, f"{n_chunks:,} chunks are compared sooner than a graph answers"
    if faults:
        return True, f"the graphs stayed deaf in {builds} builds: {'; '.join(faults)}"
    return False, "the graphs are sound"


def collections_are_sound(folder: Path, server: ChromaServer | None, contents: ChunkColumns) -> bool:
    """Whether the collections of the snapshot in `folder` are as `verify_snapshot` wants them.

    What that complains of, a build must fix. 10,000 chunks of 256 dimensions take about a second.

    Raises:
        StoreUnavailableError: the server cannot be reached.
    """
    search = NeighbourSearch.read(folder)
    if search is None or search.place != (wanted := place_of(server, len(contents))):
        return False
    if wanted == NOWHERE:
        return True
    if server is None and any(broken(folder / "chroma")):
        return False
    try:
        store = ChromaStore.existing(folder / "chroma", server)
    except IndexCorruptError:
        return False
    with closing(store):
        try:
            return all(fault.deaf and search.exact for fault in try_collections(store, contents).faults)
        except RetrievalError:
            return False


def _write(
    store: ChromaStore, chunks: Sequence[Chunk], contents: ChunkColumns, hnsw: HnswSettings, seed: int, tell: Tell
) -> None:
    with closing(store):
        for name in contents.members():
            store.create(name, hnsw)
        _put_in(store, contents.members(), chunks, contents, seed, tell)


def _put_in(
    store: ChromaStore,
    members: Mapping[CollectionName, Positions],
    chunks: Sequence[Chunk],
    contents: ChunkColumns,
    seed: int,
    tell: Tell,
) -> None:
    done, wanted = 0, sum(map(len, members.values()))
    tell("collections", 0, wanted)
    for name, places in members.items():
        metadata = [_metadata(chunks[position], noisy=name == "guarded") for position in places]
        texts = [chunks[position].text for position in places]
        ids, vectors = contents.ids_at(places), contents.vectors[places]
        for added in store.add(name, ids, vectors, metadata, texts, seed):
            done += added
            tell("collections", done, wanted)


def _take_out(store: ChromaStore, gone: Mapping[CollectionName, Sequence[str]]) -> None:
    for name, ids in gone.items():
        for start in range(0, len(ids), BATCH):
            store.collection(name).delete(ids=list(ids[start : start + BATCH]))


def _metadata(chunk: Chunk, *, noisy: bool) -> dict[str, MetadataValue]:
    """What a foreign reader of the collection finds beside a vector; `$nin` works on `id`.

    Noisy is what always asks something of a question. A row that passes unless a rival is named is not: put back, it
    would be missing where it is the answer.
    """
    metadata: dict[str, MetadataValue] = {
        **chunk.metadata,
        "id": chunk.id,
        "book": chunk.book,
        "kind": chunk.kind,
        "title": chunk.title,
        "is_noisy": noisy,
    }
    if chunk.query_must is not None:
        metadata["query_must"] = chunk.query_must
    return metadata


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
        matches = None if self._server is not None or self.search is None else self.search.place
        return matches if matches in {EMBEDDED, NOWHERE} else place_of(self._server, self._n_chunks)

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
