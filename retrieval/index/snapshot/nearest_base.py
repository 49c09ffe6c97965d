"""Which snapshot of a home a new one differs from least, so that its collections can begin as a copy of those."""

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import numpy.typing as npt

from retrieval.arrays import load_array
from retrieval.errors import IndexCorruptError
from retrieval.index.chroma.contents import NAMES, Contents
from retrieval.index.chroma.difference import Difference, collections_recipe
from retrieval.index.chroma.hnsw import TRIES
from retrieval.index.chroma.neighbour_search import NeighbourSearch
from retrieval.index.chroma.place import EMBEDDED
from retrieval.index.chroma.seal import broken
from retrieval.index.snapshot.chunk_file import ChunkFile
from retrieval.index.snapshot.live import SNAPSHOTS
from retrieval.index.snapshot.manifest import Manifest
from retrieval.query_must.compiled.predicates import CompiledPredicates
from retrieval.types import EmbedderIdentity, Vector


def nearest_base(home: Path, building: Path, contents: Contents, embedder: EmbedderIdentity) -> Difference | None:
    """The smallest difference from a snapshot that is whole; None where each is too large.

    Records are compared byte for byte with their vectors: an id alone does not say what a chunk holds.

    Args:
        home: whose snapshots are looked at.
        building: the folder of the new one, with its chunks in it.
        contents: what its collections are to hold.
        embedder: of its vectors.
    """
    chunks = ChunkFile.load(building)
    found = [
        difference
        for folder in sorted((home / SNAPSHOTS).glob("*"))
        if (difference := _from(folder, chunks, contents, embedder)) is not None and difference.is_small(len(contents))
    ]
    found.sort(key=lambda each: (each.n_changed, each.search.changed))
    return next((each for each in found if _is_whole(each.folder)), None)


def _from(folder: Path, chunks: ChunkFile, contents: Contents, embedder: EmbedderIdentity) -> Difference | None:
    try:
        search = NeighbourSearch.read(folder)
        if search is None or (search.place, search.recipe, search.faults) != (EMBEDDED, collections_recipe(), ()):
            return None
        manifest = Manifest.read(folder)
        if (manifest.embedder, manifest.hnsw) != (embedder, TRIES[0]):
            return None
        before = ChunkFile.load(folder)
        vectors = load_array(folder / "vectors.npy", np.float32)
        guarded = np.asarray(CompiledPredicates.load(folder / "predicates").guarded)
    except IndexCorruptError:
        return None
    same_before, same = _alike(before, vectors, guarded, chunks, contents)
    return Difference(
        folder,
        search,
        {name: _ids(before, np.flatnonzero(~same_before & (guarded == place))) for place, name in enumerate(NAMES)},
        {name: np.flatnonzero(~same & (contents.guarded == place)) for place, name in enumerate(NAMES)},
    )


def _alike(
    before: ChunkFile, vectors: Vector, guarded: npt.NDArray[np.bool_], chunks: ChunkFile, contents: Contents
) -> tuple[npt.NDArray[np.bool_], npt.NDArray[np.bool_]]:
    """Which records of the one are in the other as they are, by position in each."""
    _, old, new = np.intersect1d(before.ids, chunks.ids, assume_unique=True, return_indices=True)
    kept = (guarded[old] == contents.guarded[new]) & (vectors[old] == contents.vectors[new]).all(axis=1)
    kept &= np.fromiter(_same_lines(before, old, chunks, new), np.bool_, count=len(old))
    same_before, same = np.zeros(len(before), dtype=np.bool_), np.zeros(len(chunks), dtype=np.bool_)
    same_before[old[kept]], same[new[kept]] = True, True
    return same_before, same


def _same_lines(
    before: ChunkFile, old: npt.NDArray[np.int64], chunks: ChunkFile, new: npt.NDArray[np.int64]
) -> Iterator[bool]:
    for one, other in zip(old.tolist(), new.tolist(), strict=True):
        yield before.line(one) == chunks.line(other)


def _ids(chunks: ChunkFile, positions: npt.NDArray[np.int64]) -> list[str]:
    return [chunks.id_at(position) for position in positions.tolist()]


def _is_whole(folder: Path) -> bool:
    manifest = Manifest.read(folder)
    return not any(manifest.disagreements(folder, hashes=True)) and not any(broken(folder / "chroma"))
