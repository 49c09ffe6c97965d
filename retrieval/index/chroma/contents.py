"""What the two collections of a snapshot should hold."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt

from retrieval.index.chroma.store import CollectionName
from retrieval.types import Vector

NAMES: Final[tuple[CollectionName, CollectionName]] = ("open", "guarded")

Positions = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Contents:
    """The chunks of a snapshot by position, which is a chunk's place in the order of ids."""

    ids: npt.NDArray[np.bytes_]
    """(n,), rising."""
    vectors: Vector
    """(n, dimensions)."""
    guarded: npt.NDArray[np.bool_]
    """(n,) which chunks have a query_must."""

    @classmethod
    def of(cls, ids: Sequence[str], vectors: Vector, guarded: npt.NDArray[np.bool_]) -> "Contents":
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
        found = np.minimum(np.searchsorted(self.ids, wanted), len(self) - 1)
        kept: Positions = found[self.ids[found] == wanted].astype(np.int64)
        return kept
