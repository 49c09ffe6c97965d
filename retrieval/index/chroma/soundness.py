"""Whether the collections are sound: they hold what they should, and their graphs find it.

Chroma can keep a record and lose its vector. And it inserts with several threads, so each of its HNSW graphs is
another, and now and then some chunks are where no search comes by: the graph is deaf to them.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from retrieval.index.chroma.contents import NAMES, Contents
from retrieval.index.chroma.store import ChromaStore
from retrieval.types import Vector

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
class Trial:
    """How the collections did."""

    faults: tuple[Fault, ...]
    """Everything wrong with them; empty when they are sound."""
    ann_recall: float


def try_collections(
    store: ChromaStore, contents: Contents, *, also: Sequence[int] = (), probes: int = PROBES, seed: int = 0
) -> Trial:
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
    return Trial(tuple(faults), recall)


def ann_recall(store: ChromaStore, contents: Contents, *, k: int = 15, sample: int = 100, seed: int = 0) -> float:
    """Share of the true k nearest chunks that the collections find, over chunks drawn as questions, pooled.

    A neighbour counts as true when it is no farther than the k-th nearest: near-twins tie.
    """
    hit = asked = 0
    members = contents.members()
    questions = _sample(len(contents), sample, seed)
    for drawn in (questions[start : start + _BLOCK] for start in range(0, len(questions), _BLOCK)):
        for position, similarity in zip(drawn, contents.vectors[drawn] @ contents.vectors.T, strict=True):
            for name, places in members.items():
                wanted = min(k, len(places))
                if not wanted:
                    continue
                worst = np.partition(similarity[places], -wanted)[-wanted] - 1e-6
                found = contents.known(store.nearest(name, contents.vectors[position], wanted).ids)
                hit += int((similarity[found] >= worst).sum())
                asked += wanted
    return hit / asked if asked else 1.0


def _missing(store: ChromaStore, contents: Contents) -> Iterator[Fault]:
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
    found = np.stack([stored.get(chunk_id, nothing) for chunk_id in ids])
    return int((~np.isclose(found, vectors, atol=1e-5)).any(axis=1).sum())


def _probed(size: int, also: Sequence[int], probes: int, seed: int) -> list[int]:
    new = [also[place] for place in _sample(len(also), probes, seed)]
    return sorted({*_sample(size, probes, seed), *new})


def _deaf(store: ChromaStore, contents: Contents, drawn: Sequence[int]) -> Iterator[Fault]:
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
