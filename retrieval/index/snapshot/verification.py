"""Tries a snapshot before it may go live."""

from pathlib import Path

import numpy as np

from retrieval.errors import IndexCorruptError, RetrievalError
from retrieval.index.chroma.soundness import (
    EMBEDDED,
    NOWHERE,
    PROBES,
    ChunkColumns,
    Fault,
    NeighbourSearch,
    broken,
    place_of,
    seal_version,
    try_collections,
)
from retrieval.index.milvus import MilvusServer, holds
from retrieval.index.snapshot.live import snapshot_folder
from retrieval.index.snapshot.manifest import Manifest
from retrieval.index.snapshot.snapshot import Snapshot
from retrieval.settings import Settings


def verify_snapshot(
    snapshot: Snapshot, *, again: bool = True, probes: int = PROBES, seed: int = 0
) -> tuple[Fault, ...]:
    """Everything wrong with a snapshot; empty when it may be promoted.

    Compares the hashes of its files, Chroma's among them, and tries its collections as the build that made them did,
    unless there are none, or they are damaged or cannot be written: Chroma opens neither. Graphs that do not find
    everything are not the fault of a snapshot whose searches compare every vector.

    Args:
        snapshot: what is verified.
        again: whether collections are tried again though every file is as it was when they were tried and did well.
        probes: how many chunks are asked for.
        seed: which ones.
    """
    kept = snapshot.kept_collections
    files = [
        Fault("files", disagreement) for disagreement in snapshot.manifest.disagreements(snapshot.folder, hashes=True)
    ]
    broken = [Fault("files", f"chroma: {seal}") for seal in kept.broken_seals()]
    if broken or kept.are_read_only or kept.place == NOWHERE:
        return (*files, *broken)
    if not (again or files) and _did_well(snapshot):
        return ()
    try:
        faults = try_collections(snapshot.collections, contents_of(snapshot), probes=probes, seed=seed).faults
    except RetrievalError as error:
        return (*files, Fault("counts", str(error)))
    return (*files, *(fault for fault in faults if not (fault.deaf and snapshot.scans)))


def _did_well(snapshot: Snapshot) -> bool:
    """Whether the build found nothing wrong with the files of Chroma that are there; their seal is not broken."""
    search = snapshot.neighbour_search
    if search is None or search.faults or not search.tried:
        return False
    return search.tried == seal_version(snapshot.folder / "chroma")


def contents_of(snapshot: Snapshot) -> ChunkColumns:
    """What its collections should hold."""
    return ChunkColumns(snapshot.chunks.ids, np.asarray(snapshot.vectors), np.asarray(snapshot.predicates.guarded))


def is_as_built(home: Path, snapshot_id: str) -> bool:
    """Whether every file of a snapshot, Chroma's among them, is byte for byte as the build that tried it left it.

    It asks no collection anything: what was sound is sound while no byte of it changed. Of collections on a server no
    file is here to compare, so that is always False. A Milvus server is asked whether it has all of its chunks.
    """
    folder, settings = snapshot_folder(home, snapshot_id), Settings.read(home)
    search = NeighbourSearch.read(folder)
    if search is None or search.place not in {EMBEDDED, NOWHERE} or settings.chroma:
        return False
    try:
        manifest = Manifest.read(folder)
    except IndexCorruptError:
        return False
    if search.place != place_of(None, manifest.n_chunks) or any(manifest.disagreements(folder, hashes=True)):
        return False
    if search.place == EMBEDDED and any(broken(folder / "chroma")):
        return False
    server = MilvusServer.of(settings.store, snapshot_id)
    return server is None or holds(server, manifest.n_chunks)
