"""Builds the two collections of a snapshot until they are sound, and looks whether they still are."""

import shutil
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import replace
from pathlib import Path

from retrieval.errors import IndexCorruptError, RetrievalError, VectorDBWriteError
from retrieval.index.chroma.contents import Contents, Positions
from retrieval.index.chroma.difference import Difference, collections_recipe
from retrieval.index.chroma.hnsw import TRIES, HnswSettings
from retrieval.index.chroma.neighbour_search import EXACT_UP_TO, NeighbourSearch
from retrieval.index.chroma.place import NOWHERE, place_of
from retrieval.index.chroma.seal import broken, copy_sealed, seal, seal_version
from retrieval.index.chroma.server import ChromaServer
from retrieval.index.chroma.soundness import Trial, try_collections
from retrieval.index.chroma.store import BATCH, ChromaStore, CollectionName
from retrieval.types import Chunk, MetadataValue

Tell = Callable[[str, int, int], None]


def build_collections(
    folder: Path,
    server: ChromaServer | None,
    chunks: Sequence[Chunk],
    contents: Contents,
    tell: Tell,
    difference: Difference | None = None,
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
        place = str(folder) if server is None else place_of(server, 0)
        raise VectorDBWriteError(
            f"Chroma could not write {place} ({type(error).__name__}: {error}); make room there, and run the same again"
        ) from error


def _built(
    folder: Path, server: ChromaServer | None, chunks: Sequence[Chunk], contents: Contents, tell: Tell
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
    folder: Path, server: ChromaServer | None, contents: Contents, also: Sequence[int], tell: Tell
) -> tuple[Trial, str]:
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
    folder: Path, difference: Difference, chunks: Sequence[Chunk], contents: Contents, tell: Tell
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


def collections_are_sound(folder: Path, server: ChromaServer | None, contents: Contents) -> bool:
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
    store: ChromaStore, chunks: Sequence[Chunk], contents: Contents, hnsw: HnswSettings, seed: int, tell: Tell
) -> None:
    with closing(store):
        for name in contents.members():
            store.create(name, hnsw)
        _put_in(store, contents.members(), chunks, contents, seed, tell)


def _put_in(
    store: ChromaStore,
    members: Mapping[CollectionName, Positions],
    chunks: Sequence[Chunk],
    contents: Contents,
    seed: int,
    tell: Tell,
) -> None:
    done, wanted = 0, sum(map(len, members.values()))
    tell("collections", 0, wanted)
    for name, places in members.items():
        metadata = [_metadata(chunks[place], noisy=name == "guarded") for place in places]
        texts = [chunks[place].text for place in places]
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
