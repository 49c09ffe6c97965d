"""Soundness of the collections: contents, graphs, the seal on their files, and where they are.

Chroma can keep a record and lose its vector. And it inserts with several threads, so each of its HNSW graphs is
another, and now and then some chunks are where no search comes by: the graph is deaf to them.
"""

import json
import os
import sqlite3
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import asdict, dataclass
from hashlib import sha256
from pathlib import Path
from shutil import copyfile
from typing import Final

import numpy as np
import numpy.typing as npt
from pydantic import ValidationError

from retrieval.files.atomic_files import FileEntry, changes, write_atomically
from retrieval.files.records import dump_record, parse_record
from retrieval.index.chroma.store import DATABASE, ChromaServer, ChromaStore, CollectionName, HnswSettings
from retrieval.types import Vector

NAMES: Final[tuple[CollectionName, CollectionName]] = ("open", "guarded")

Positions = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class ChunkColumns:
    """The chunks of a snapshot by position, which is a chunk's place in the order of ids."""

    ids: npt.NDArray[np.bytes_]
    """(n,), rising."""
    vectors: Vector
    """(n, dimensions)."""
    guarded: npt.NDArray[np.bool_]
    """(n,) which chunks have a query_must."""

    @classmethod
    def of(cls, ids: Sequence[str], vectors: Vector, guarded: npt.NDArray[np.bool_]) -> "ChunkColumns":
        """From ids that are in their order."""
        return cls(np.asarray([each.encode() for each in ids], dtype=np.bytes_), vectors, guarded)

    def __len__(self) -> int:
        return len(self.ids)

    def members(self) -> Mapping[CollectionName, Positions]:
        """Positions of the chunks of each collection."""
        return dict(zip(NAMES, (np.flatnonzero(~self.guarded), np.flatnonzero(self.guarded)), strict=True))

    def ids_at(self, positions: Positions) -> list[str]:
        """Ids, aligned with the positions."""
        return [str(self.ids[position], "utf-8") for position in positions]

    def known(self, ids: Sequence[str]) -> Positions:
        """Positions of those ids that are here; a foreign id is left out."""
        wanted = np.asarray([each.encode() for each in ids], dtype=np.bytes_)
        matches = np.minimum(np.searchsorted(self.ids, wanted), len(self) - 1)
        kept: Positions = matches[self.ids[matches] == wanted].astype(np.int64)
        return kept


MIN_RECALL = 0.99
PROBES = 200
_BLOCK = 25
"""Questions that are compared with all vectors at once: the vectors are read from memory once for all of them."""
_PAGE = 1000
"""Vectors read back at once."""
_SAME = 1e-4
"""Chroma's cosine distance of a vector to itself differs from 0 by rounding."""


@dataclass(frozen=True, slots=True)
class Fault:
    """Something about a snapshot that forbids promoting it."""

    check: str
    """`files`, `counts`, `vectors`, `probes` or `recall`."""
    detail: str

    @property
    def deaf(self) -> bool:
        """Whether everything is there and a graph does not find it; a search that scans does not care."""
        return self.check in {"probes", "recall"}


@dataclass(frozen=True, slots=True)
class CollectionsTrial:
    """How the collections did."""

    faults: tuple[Fault, ...]
    """Everything wrong with them; empty when they are sound."""
    ann_recall: float


def try_collections(
    store: ChromaStore, contents: ChunkColumns, *, also: Sequence[int] = (), probes: int = PROBES, seed: int = 0
) -> CollectionsTrial:
    """Whether the collections are sound.

    Counts the records, reads every vector back, asks for `probes` chunks by their own vector, and measures the
    approximate search against the exact scan. 10,000 chunks of 256 dimensions take about a second.

    Args:
        store: the two collections.
        contents: what they should hold.
        also: positions of chunks that are new in graphs that are not; as many of them are asked for too.
        probes: how many chunks are asked for.
        seed: which ones.

    Raises:
        IndexCorruptError: a collection is missing or unreadable.
        StoreUnavailableError: the server lacks a collection.
    """
    faults = [*_missing(store, contents), *_deaf(store, contents, _probed(len(contents), also, probes, seed))]
    recall = ann_recall(store, contents, seed=seed)
    if recall < MIN_RECALL:
        faults.append(
            Fault("recall", f"the collections find {recall:.1%} of the true neighbours, not {MIN_RECALL:.0%}")
        )
    return CollectionsTrial(tuple(faults), recall)


def ann_recall(store: ChromaStore, contents: ChunkColumns, *, k: int = 15, sample: int = 100, seed: int = 0) -> float:
    """Share of the true k nearest chunks that the collections find, over chunks drawn as questions, pooled.

    A neighbour counts as true when it is no farther than the k-th nearest: near-twins tie.
    """
    hit = query = 0
    members = contents.members()
    questions = _sample(len(contents), sample, seed)
    for drawn in (questions[start : start + _BLOCK] for start in range(0, len(questions), _BLOCK)):
        for position, similarity in zip(drawn, contents.vectors[drawn] @ contents.vectors.T, strict=True):
            for name, places in members.items():
                wanted = min(k, len(places))
                if not wanted:
                    continue
                worst = np.partition(similarity[places], -wanted)[-wanted] - 1e-6
                matches = contents.known(store.nearest(name, contents.vectors[position], wanted).ids)
                hit += int((similarity[matches] >= worst).sum())
                query += wanted
    return hit / query if query else 1.0


def _missing(store: ChromaStore, contents: ChunkColumns) -> Iterator[Fault]:
    for name, places in contents.members().items():
        count = store.count(name)
        if count != len(places):
            yield Fault("counts", f"collection {name!r} has {count} records instead of {len(places)}")
        lost = 0
        for start in range(0, len(places), _PAGE):
            page = places[start : start + _PAGE]
            ids = contents.ids_at(page)
            lost += _lost(store.vectors(name, ids), ids, contents.vectors[page])
        if lost:
            yield Fault("vectors", f"collection {name!r} lost the vectors of {lost} of {len(places)} chunks")


def _lost(stored: Mapping[str, Vector], ids: Sequence[str], vectors: Vector) -> int:
    nothing = np.full(vectors.shape[1], np.nan, dtype=np.float32)
    matches = np.stack([stored.get(chunk_id, nothing) for chunk_id in ids])
    return int((~np.isclose(matches, vectors, atol=1e-5)).any(axis=1).sum())


def _probed(size: int, also: Sequence[int], probes: int, seed: int) -> list[int]:
    new = [also[position] for position in _sample(len(also), probes, seed)]
    return sorted({*_sample(size, probes, seed), *new})


def _deaf(store: ChromaStore, contents: ChunkColumns, drawn: Sequence[int]) -> Iterator[Fault]:
    strange = []
    for position in drawn:
        name = NAMES[int(contents.guarded[position])]
        # Its nearest neighbour may be a twin with the very same vector: a distance of zero is what counts.
        nearest = store.nearest(name, contents.vectors[position], 1)
        if not nearest.distances or nearest.distances[0] > _SAME:
            strange.append(position)
    if strange:
        first = contents.ids_at(np.asarray(strange[:1]))[0]
        yield Fault("probes", f"{len(strange)} of {len(drawn)} chunks do not find themselves, the first is {first}")


def _sample(size: int, wanted: int, seed: int) -> list[int]:
    chosen = np.random.default_rng(seed).choice(size, size=min(size, wanted), replace=False)
    return sorted(int(position) for position in chosen)


SEAL_FILE = "seal.json"
_WRITTEN_OUT = "index_metadata.pickle"
"""In the folder of each graph that Chroma reads. The others hold nothing: it makes them again from the database, and
writes them when they are asked."""
_QUIET = (
    "CREATE TRIGGER IF NOT EXISTS sealed BEFORE INSERT ON acquire_write BEGIN SELECT RAISE(IGNORE); END",
    "PRAGMA wal_checkpoint(TRUNCATE)",
)
"""Chroma writes a row on each opening and never reads it. Without it the database stays the same file, byte for byte,
and opens on a full disk."""


@dataclass(frozen=True, slots=True)
class Seal:
    """Chroma's files of one snapshot."""

    files: tuple[FileEntry, ...]


def seal(folder: Path) -> None:
    """Seal Chroma's files in `folder`: from now on they are read and never changed. No client may have them open."""
    with closing(sqlite3.connect(folder / DATABASE)) as connection:
        for statement in _QUIET:
            connection.execute(statement)
        connection.commit()
    paths = [folder / DATABASE, *sorted(_graph_files(folder))]
    files = tuple(FileEntry.of(folder, path) for path in paths)
    write_atomically(folder / SEAL_FILE, dump_record(Seal(files)) + b"\n")


def seal_version(folder: Path) -> str:
    """Hash of the seal in `folder`: while it is not broken, that of all the files that it names."""
    return sha256((folder / SEAL_FILE).read_bytes()).hexdigest()


def broken(folder: Path) -> Iterator[str]:
    """A sentence for everything that is not as it was sealed; nothing is opened by Chroma."""
    try:
        sealed = parse_record((folder / SEAL_FILE).read_bytes(), Seal)
    except (OSError, ValidationError):
        yield f"{SEAL_FILE} is missing or cannot be read, which says what Chroma's files were"
        return
    yield from changes(folder, sealed.files)
    known = {file.path for file in sealed.files}
    for path in sorted(_graph_files(folder)):
        if (inside := path.relative_to(folder).as_posix()) not in known:
            yield f"{inside} was not there when it was built"


def sealed_files(folder: Path) -> tuple[FileEntry, ...]:
    """The files that are sealed in `folder`, and the seal's own; none where nothing is. Ask `broken` first."""
    try:
        sealed = parse_record((folder / SEAL_FILE).read_bytes(), Seal)
    except (OSError, ValidationError):
        return ()
    return (*sealed.files, FileEntry.of(folder, folder / SEAL_FILE))


def copy_sealed(source: Path, target: Path) -> None:
    """Copy the files that were sealed in `source`, and nothing else, to be changed there and sealed again.

    What Chroma wrote beside them it makes again. Ask `broken` first.
    """
    for file in parse_record((source / SEAL_FILE).read_bytes(), Seal).files:
        position = target / file.path
        position.parent.mkdir(parents=True, exist_ok=True)
        copyfile(source / file.path, position)
    with closing(sqlite3.connect(target / DATABASE)) as connection:
        connection.execute("DROP TRIGGER IF EXISTS sealed")
        connection.commit()


def is_writable(folder: Path) -> bool:
    """Whether this process may write Chroma's files, as far as they are there. Chroma opens none that it may not."""
    return all(os.access(path, os.W_OK) for path in (folder, *folder.rglob("*")) if path.exists())


def _graph_files(folder: Path) -> Iterable[Path]:
    for mark in folder.glob(f"*/{_WRITTEN_OUT}"):
        yield from (path for path in mark.parent.iterdir() if path.is_file())


EMBEDDED = "embedded"
"""The place of collections in the folder of their snapshot."""
NOWHERE = "nowhere"
"""The place of the collections of a large library that no server holds: there are none."""
EMBEDDED_UP_TO: int = 200_000
"""Chunks of a library that has embedded collections. No search needs them, and their graphs are most of a large build:
of a million chunks 23 minutes of 28."""


def place_of(server: ChromaServer | None, n_chunks: int) -> str:
    """Where those of so many chunks belong, as `NeighbourSearch.place` calls it: a server's is its host and port."""
    if server is not None:
        return f"{server.host}:{server.port}"
    return EMBEDDED if n_chunks <= EMBEDDED_UP_TO else NOWHERE


def why_nowhere(n_chunks: int) -> str:
    """A sentence: why so many chunks have no collections."""
    return f"{n_chunks:,} chunks have no graphs, which are made of {EMBEDDED_UP_TO:,} at most, or on a Chroma server"


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
