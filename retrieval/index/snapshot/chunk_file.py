"""The chunks of a snapshot as JSON lines, read one at a time by position."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import takewhile
from pathlib import Path

import numpy as np
import numpy.typing as npt
from pydantic import ValidationError

from retrieval.errors import AmbiguousNameError, IndexCorruptError, UnknownNameError
from retrieval.files.arrays import load_array, save_array
from retrieval.files.records import dump_record, parse_record
from retrieval.types import Chunk

SHORTEST = 8
"""The smallest number of characters in a short id."""
LISTED = 6
"""Candidates that an error lists."""


@dataclass(frozen=True, slots=True, eq=False)
class ChunkFile:
    """Chunks in the order of their ids, so that positions break ties as ids would.

    Opening it reads nothing: a chunk is parsed when it is accessed.
    """

    lines: npt.NDArray[np.uint8]
    """chunks.jsonl, memory-mapped."""
    ends: npt.NDArray[np.int64]
    """(n + 1,): chunk i is between ends[i] and ends[i + 1]."""
    ids: npt.NDArray[np.bytes_]
    """(n,): ids as UTF-8, ascending."""

    @staticmethod
    def save(folder: Path, chunks: Sequence[Chunk]) -> None:
        """Write chunks, which must be in the order of their ids."""
        ends = np.zeros(len(chunks) + 1, dtype=np.int64)
        with (folder / "chunks.jsonl").open("wb") as file:
            for position, chunk in enumerate(chunks):
                ends[position + 1] = ends[position] + file.write(dump_record(chunk) + b"\n")
        save_array(folder / "chunk_ends.npy", ends)
        save_array(folder / "chunk_ids.npy", np.asarray([chunk.id.encode() for chunk in chunks], dtype=np.bytes_))

    @classmethod
    def load(cls, folder: Path) -> "ChunkFile":
        """Map what `save` wrote.

        Raises:
            IndexCorruptError: a file is missing or does not fit the others.
        """
        path = folder / "chunks.jsonl"
        ends = load_array(folder / "chunk_ends.npy", np.int64)
        ids = load_array(folder / "chunk_ids.npy", np.bytes_)
        if len(ends) != len(ids) + 1 or not path.is_file() or path.stat().st_size != ends[-1]:
            raise IndexCorruptError(f"{path} does not fit its offsets and ids; build the index again")
        return cls(np.asarray(np.memmap(path, dtype=np.uint8, mode="r")), ends, ids)

    def __len__(self) -> int:
        return len(self.ids)

    def line(self, position: int) -> bytes:
        """Return the record at a position as it is stored."""
        return self.lines[self.ends[position] : self.ends[position + 1]].tobytes()

    def __getitem__(self, position: int) -> Chunk:
        try:
            return parse_record(self.line(position), Chunk)
        except ValidationError as error:
            raise IndexCorruptError(
                f"chunk {position} cannot be read ({error.errors()[0]['msg']}); build the index again"
            ) from error

    def __iter__(self) -> Iterator[Chunk]:
        return (self[position] for position in range(len(self)))

    def id_at(self, position: int) -> str:
        """Return the id at a position, without reading the chunk."""
        return str(self.ids[position], "utf-8")

    def short_id(self, chunk_id: str) -> str:
        """Return the first 8 characters of an id, or as many more as distinguish it from all others."""
        position = self.position(chunk_id)
        beside = [self.id_at(near) for near in (position - 1, position + 1) if 0 <= near < len(self)]
        shared = max((_shared(chunk_id, other) for other in beside), default=0)
        return chunk_id[: max(SHORTEST, shared + 1)]

    def find(self, beginning: str) -> str:
        """Return the id that begins with these characters.

        Raises:
            UnknownNameError: no id does; lists ids with a similar beginning.
            AmbiguousNameError: several ids do; lists them.
        """
        given = beginning.encode()
        first, last = (int(end) for end in np.searchsorted(self.ids, [given, given + b"\xff"]))
        if first < last and (last - first == 1 or self.id_at(first) == beginning):
            return self.id_at(first)
        if first < last:
            more = [f"and {last - first - LISTED} more"] if last - first > LISTED else []
            listed = [self._called(position) for position in range(first, last)[:LISTED]]
            raise AmbiguousNameError("chunk", beginning, listed + more)
        near = range(max(0, first - LISTED // 2), min(len(self), first + LISTED // 2))
        alike = [at for at in near if self.id_at(at).startswith(beginning[: max(2, len(beginning) // 2)])]
        advice = "search prints the id of each hit: querymust search QUESTION"
        raise UnknownNameError("chunk", beginning, [self._called(position) for position in alike], advice)

    def _called(self, position: int) -> str:
        return f"{self.short_id(self.id_at(position))} ({self[position].title})"

    def position(self, chunk_id: str) -> int:
        """Return the position of an id. Raises UnknownNameError."""
        return int(self.positions([chunk_id])[0])

    def positions(self, ids: Sequence[str]) -> npt.NDArray[np.int64]:
        """Return the positions of ids, in their order.

        Raises:
            UnknownNameError: there is no chunk with one of these ids.
        """
        if not ids:
            return np.empty(0, dtype=np.int64)
        wanted = np.asarray([chunk_id.encode() for chunk_id in ids], dtype=np.bytes_)
        positions = np.minimum(np.searchsorted(self.ids, wanted), len(self) - 1)
        strange = np.flatnonzero(self.ids[positions] != wanted)
        if len(strange):
            raise UnknownNameError("chunk", ids[int(strange[0])], [f"{len(self)} others; see a search's results"])
        return positions.astype(np.int64)


def _shared(one: str, other: str) -> int:
    """Return the length of the common prefix of two ids."""
    alike = takewhile(lambda pair: pair[0] == pair[1], zip(one, other, strict=False))
    return sum(1 for _ in alike)
