"""Metadata of all chunks by key, so that a filter becomes a mask without reading a chunk."""

import json
from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from math import isnan
from pathlib import Path
from typing import Literal

import numpy as np
import numpy.typing as npt

from retrieval.errors import IndexCorruptError, InvalidQueryError, UnknownNameError
from retrieval.files.array_folder import load_arrays, save_arrays
from retrieval.files.arrays import RaggedArray
from retrieval.types import Chunk

Scalar = str | int | float | bool
Mask = npt.NDArray[np.bool_]
Comparison = Literal["eq", "gt", "gte", "lt", "lte"]

_FAMILIES = ("flags", "numbers", "texts")


@dataclass(frozen=True, slots=True)
class MetadataColumn:
    """Distinct values of one key, ascending within each family; values of different families are never compared."""

    first: int
    """Number of the first value among the values of all keys; the others follow: flags, numbers, texts."""
    flags: tuple[bool, ...]
    numbers: tuple[float, ...]
    texts: tuple[str, ...]

    def __len__(self) -> int:
        return len(self.flags) + len(self.numbers) + len(self.texts)

    def numbers_of(self, comparison: Comparison, value: Scalar) -> tuple[int, int]:
        """Return the numbers [start, stop) of the values that meet a comparison with a value of the same family."""
        before, family = 0, _family(value)
        for name in _FAMILIES[: _FAMILIES.index(family)]:
            before += len(getattr(self, name))
        values: Sequence[Scalar] = getattr(self, family)
        left, right = bisect_left(values, value), bisect_right(values, value)
        start, stop = {
            "eq": (left, right),
            "lt": (0, left),
            "lte": (0, right),
            "gt": (right, len(values)),
            "gte": (left, len(values)),
        }[comparison]
        return self.first + before + start, self.first + before + stop


@dataclass(frozen=True, eq=False)
class MetadataIndex:
    """The chunks that have each value of each key; `book`, `document` and `kind` are keys beside a chunk's metadata."""

    n_chunks: int
    chunks: RaggedArray[np.int32]
    """The chunks of each value, ascending."""
    listed: Mask
    """Whether the chunk has the value as a member of a list; aligned with the items of `chunks`."""
    built: Mapping[str, MetadataColumn] | None = None
    """The values by key, until they are saved."""
    folder: Path | None = None
    """The folder of the saved values, which are read at the first filter."""

    @classmethod
    def build(cls, chunks: Sequence[Chunk]) -> "MetadataIndex":
        """Index the metadata of chunks by position."""
        entries_by_key: dict[str, dict[tuple[str, Scalar], list[tuple[int, bool]]]] = defaultdict(
            lambda: defaultdict(list)
        )
        for position, chunk in enumerate(chunks):
            for key, value, in_list in _facts(chunk):
                entries_by_key[key][_family(value), value].append((position, in_list))
        columns: dict[str, MetadataColumn] = {}
        postings: list[list[tuple[int, bool]]] = []
        for key, values in sorted(entries_by_key.items()):
            ordered = sorted(values)
            by_family = {family: tuple(value for kind, value in ordered if kind == family) for family in _FAMILIES}
            columns[key] = MetadataColumn(len(postings), **by_family)  # type: ignore[arg-type]
            postings += [values[name] for name in ordered]
        flat = [entry for entries in postings for entry in entries]
        return cls(
            len(chunks),
            RaggedArray.of_sizes(
                [len(entries) for entries in postings],
                np.fromiter((position for position, _ in flat), np.int32, count=len(flat)),
            ),
            np.fromiter((in_list for _, in_list in flat), np.bool_, count=len(flat)),
            columns,
        )

    def mask(self, key: str, comparison: Comparison, value: Scalar, *, members: bool = False) -> Mask:
        """Return a mask, (n,), of chunks whose value meets a comparison, or with `members` whose list has such a value.

        Raises:
            UnknownNameError: no chunk has that key; lists those that exist.
            InvalidQueryError: the value is not text, a number, true or false.
        """
        if not isinstance(value, str | int | float) or _is_nan(value):
            raise InvalidQueryError(f"{key!r} is compared with {value!r}; compare with a text, a number, true or false")
        if key not in self.columns:
            raise UnknownNameError("metadata key", key, self.columns)
        entries = self.chunks.span(*self.columns[key].numbers_of(comparison, value))
        positions = self.chunks.items[entries]
        if not members:
            positions = positions[~self.listed[entries]]
        mask = np.zeros(self.n_chunks, dtype=np.bool_)
        mask[positions] = True
        return mask

    def positions(self, key: str, text: str) -> npt.NDArray[np.int32]:
        """Return the chunks whose value of a key is this text, or a list that contains it, ascending.

        Unlike that of `mask`, the cost grows with these chunks only, not with all.
        """
        return self.chunks.items[self.chunks.span(*self.columns[key].numbers_of("eq", text))]

    @cached_property
    def columns(self) -> Mapping[str, MetadataColumn]:
        """The values by key."""
        if self.built is not None or self.folder is None:
            return self.built or {}
        try:
            stored = json.loads((self.folder / "values.json").read_text("utf-8"))
            columns = {key: MetadataColumn(first, *map(tuple, families)) for key, (first, *families) in stored.items()}
        except (OSError, ValueError, TypeError, AttributeError) as error:
            raise IndexCorruptError(f"{self.folder} has no values ({error}); build the index again") from error
        if sum(map(len, columns.values())) != len(self.chunks):
            raise IndexCorruptError(f"{self.folder}: the values do not fit their postings; build the index again")
        return columns

    def save(self, folder: Path) -> None:
        """Write the values as JSON and the rest as arrays."""
        values = {
            key: [column.first, column.flags, column.numbers, column.texts] for key, column in self.columns.items()
        }
        save_arrays(folder, self)
        (folder / "values.json").write_text(json.dumps(values), "utf-8")

    @classmethod
    def load(cls, folder: Path) -> "MetadataIndex":
        """Map what `save` wrote. Raises IndexCorruptError."""
        return replace(load_arrays(folder, cls), folder=folder)


def _facts(chunk: Chunk) -> Iterator[tuple[str, Scalar, bool]]:
    """Yield (key, value, whether it is in a list) for one chunk, each once; NaN is omitted."""
    facts = {**chunk.metadata, "book": chunk.book, "document": chunk.document, "kind": chunk.kind}
    for key, value in facts.items():
        if isinstance(value, (tuple, list)):
            yield from ((key, member, True) for member in dict.fromkeys(value))
        elif not _is_nan(value):
            yield key, value, False


def _is_nan(value: object) -> bool:
    return isinstance(value, float) and isnan(value)


def _family(value: Scalar) -> str:
    if isinstance(value, bool):
        return "flags"
    return "texts" if isinstance(value, str) else "numbers"
