"""Regression trees as arrays: what they say of each candidate, and which feature moved it by how much."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from retrieval.errors import IndexCorruptError
from retrieval.search.rerank.paths import LEAF, Matrix, Paths, Scores


class Node(NamedTuple):
    """A node of a tree; its children are places in a list of nodes, before its own."""

    feature: int
    threshold: float
    left: int
    right: int
    value: float


@dataclass(frozen=True)
class Trees:
    """The sum of binary trees. A value goes left where it is not above the threshold.

    Every node has a value: a leaf its own, an inner node the mean of the leaves below it by how many examples they had.
    A path's steps therefore sum up to what its leaf says: each step belongs to the feature that was asked there
    (Saabas 2014, "Interpreting random forests"; the sum is exact).
    """

    names: tuple[str, ...]
    """The features in the order of the columns."""
    roots: npt.NDArray[np.int32]
    feature: npt.NDArray[np.int32]
    """Of each node; `LEAF` for a leaf."""
    threshold: npt.NDArray[np.float64]
    left: npt.NDArray[np.int32]
    right: npt.NDArray[np.int32]
    value: npt.NDArray[np.float64]

    @classmethod
    def of_nodes(cls, names: Sequence[str], roots: Sequence[int], nodes: Sequence[Node]) -> "Trees":
        """Trees of at least one node; roots and children are places in `nodes`."""
        arrays = dict(zip(Node._fields, zip(*nodes, strict=True), strict=True)) | {"roots": roots}
        return cls(tuple(names), **{name: np.asarray(arrays[name], dtype=dtype) for name, dtype in _ARRAYS.items()})

    @property
    def start(self) -> float:
        """What the trees say before they know anything."""
        return float(self.value[self.roots].sum())

    def scores(self, values: Matrix) -> Scores:
        """(n,) of candidates (n, features)."""
        total: Scores = self._paths.values[self._paths.ends(values)].sum(axis=1)
        return total

    def shares(self, values: Matrix) -> Scores:
        """(n, features): what each feature adds; with `start` they sum up to the score."""
        paths, (n, features) = self._paths, (len(values), len(self.names))
        leaf = paths.ends(values)
        place = paths.asked.take(leaf, axis=1) + features * np.arange(n)[:, None]
        moved = paths.moved.take(leaf, axis=1)
        return np.bincount(place.ravel(), moved.ravel(), n * features).astype(np.float64).reshape(n, features)

    @cached_property
    def _paths(self) -> Paths:
        return Paths.of(self.roots, self.feature, self.threshold, self.left, self.right, self.value)

    def to_json(self) -> Mapping[str, Any]:
        """Thresholds and values exactly."""
        return {
            "names": list(self.names),
            **{name: getattr(self, name).tolist() for name in _ARRAYS},
        }

    @property
    def written(self) -> str:
        """The text that `read` reads."""
        return json.dumps(self.to_json(), separators=(",", ":")) + "\n"

    @classmethod
    def read(cls, path: Path) -> "Trees":
        """The trees of a file.

        Raises:
            IndexCorruptError: the file cannot be read, or its arrays do not fit each other.
        """
        try:
            found = json.loads(path.read_text("utf-8"))
            arrays = {name: np.asarray(found[name], dtype=dtype) for name, dtype in _ARRAYS.items()}
            names = tuple(map(str, found["names"]))
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise IndexCorruptError(f"{path} holds no trees ({error}); install the program again") from error
        sizes = {array.shape for name, array in arrays.items() if name != "roots"}
        if len(sizes) != 1:
            raise IndexCorruptError(f"{path} holds arrays of {sorted(sizes)} nodes; install the program again")
        trees = cls(names, **arrays)
        if not trees._is_sound():
            raise IndexCorruptError(f"{path} holds nodes that lead nowhere; install the program again")
        try:
            trees._paths  # noqa: B018
        except ValueError as error:
            raise IndexCorruptError(f"{path} cannot be used ({error}); install the program again") from error
        return trees

    def _is_sound(self) -> bool:
        """Whether every path ends: children stand before their parents, and every feature has a name."""
        here = np.arange(len(self.feature))
        inner = self.feature != LEAF
        below = np.stack([self.left, self.right])
        return bool(
            np.all((self.roots >= 0) & (self.roots < len(here)))
            and np.all((self.feature >= LEAF) & (self.feature < len(self.names)))
            and np.all((below >= 0) & (below < here) | ~inner)
        )


_ARRAYS = {
    "roots": np.int32,
    "feature": np.int32,
    "threshold": np.float64,
    "left": np.int32,
    "right": np.int32,
    "value": np.float64,
}
