"""Regression trees as arrays: what they say of each candidate, and which feature moved it by how much."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from retrieval.errors import IndexCorruptError

Matrix = npt.NDArray[np.float32]
Scores = npt.NDArray[np.float64]

Nodes = npt.NDArray[np.int64]

LEAF = -1


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

    @property
    def start(self) -> float:
        """What the trees say before they know anything."""
        return float(self.value[self.roots].sum())

    def scores(self, values: Matrix) -> Scores:
        """(n,) of candidates (n, features)."""
        layout = self._layout
        # One leaf a tree, in the order of the trees.
        places = _true(self._reached(values), layout.leaves).reshape(len(values), len(self.roots))
        leaf = places - len(layout.leaves) * np.arange(len(values))[:, None]
        total: Scores = layout.of_leaves[leaf].sum(axis=1)
        return total

    def shares(self, values: Matrix) -> Scores:
        """(n, features): what each feature adds; with `start` they sum up to the score."""
        layout, (n, features) = self._layout, (len(values), len(self.names))
        row, step = np.divmod(_true(self._reached(values), layout.steps), max(len(layout.steps), 1))
        place = row * features + layout.moved_by[step]
        shares = np.bincount(place, layout.moved[step], n * features).astype(np.float64)
        return shares.reshape(n, features)

    def _reached(self, values: Matrix) -> npt.NDArray[np.bool_]:
        """(nodes, n) in the order of the layout: whether the path of a candidate leads through a node."""
        layout = self._layout
        goes_left = np.ascontiguousarray(values.T).take(layout.asked, axis=0) <= layout.bound[:, None]
        reached = np.empty((len(self.feature), len(values)), dtype=np.bool_)
        reached[: len(self.roots)] = True
        for level in layout.levels:
            through = reached[level.nodes]
            reached[level.lefts] = left = through & goes_left[level.asked]
            reached[level.rights] = through & ~left
        return reached

    @cached_property
    def _layout(self) -> "_Layout":
        return _Layout.of(self)

    def to_json(self) -> Mapping[str, Any]:
        """As it is written; thresholds and values exactly."""
        return {
            "names": list(self.names),
            **{name: getattr(self, name).tolist() for name in _ARRAYS},
        }

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


@dataclass(frozen=True, slots=True, eq=False)
class _Level:
    """Nodes of one depth that ask something, as slices and numbers of the layout."""

    nodes: Nodes
    asked: slice
    """Which of all that ask."""
    lefts: slice
    rights: slice
    """Their children."""


@dataclass(frozen=True, slots=True, eq=False)
class _Layout:
    """The nodes by depth, left children before right ones: a level is answered for all candidates at once."""

    asked: Nodes
    """(inner,) the feature of each node that asks, level by level."""
    bound: Matrix
    """(inner,) the largest single that is not above the threshold: the same answers in half the room."""
    levels: Sequence[_Level]
    leaves: Nodes
    """Leaves, tree by tree."""
    of_leaves: Scores
    """Their values."""
    steps: Nodes
    """All nodes but the roots, level by level, tree by tree."""
    moved_by: Nodes
    """The feature that was asked above each of those."""
    moved: Scores
    """How much that moved the value."""

    @classmethod
    def of(cls, trees: Trees) -> "_Layout":
        order, tree, asking, levels = [trees.roots], [np.arange(len(trees.roots))], [], []
        above: list[npt.NDArray[np.int32]] = []
        first, n_asked = 0, 0
        while len(order[-1]):
            nodes = order[-1]
            inner = np.flatnonzero(trees.feature[nodes] != LEAF)
            start, half = first + len(nodes), len(inner)
            asked = slice(n_asked, n_asked + half)
            levels.append(
                _Level(first + inner, asked, slice(start, start + half), slice(start + half, start + 2 * half))
            )
            asking.append(nodes[inner])
            above += [nodes[inner], nodes[inner]]
            order.append(np.concatenate([trees.left[nodes[inner]], trees.right[nodes[inner]]]))
            tree.append(np.tile(tree[-1][inner], 2))
            first, n_asked = start, n_asked + half
        nodes, asks = np.concatenate(order), np.concatenate(asking)
        leaves = np.flatnonzero(trees.feature[nodes] == LEAF)
        leaves = leaves[np.argsort(np.concatenate(tree)[leaves], kind="stable")]
        depth = np.repeat(np.arange(len(order)), [len(level) for level in order])
        steps = np.lexsort((np.concatenate(tree), depth))[len(trees.roots) :]
        parents = np.concatenate([trees.roots, *above])
        return cls(
            trees.feature[asks].astype(np.int64),
            _at_most(trees.threshold[asks]),
            levels,
            leaves,
            trees.value[nodes[leaves]],
            steps,
            trees.feature[parents[steps]].astype(np.int64),
            trees.value[nodes[steps]] - trees.value[parents[steps]],
        )


def _true(reached: npt.NDArray[np.bool_], nodes: Nodes) -> Nodes:
    """Which are reached of (n, nodes), end to end."""
    return np.flatnonzero(np.ascontiguousarray(reached.take(nodes, axis=0).T))


def _at_most(thresholds: Scores) -> Matrix:
    singles = thresholds.astype(np.float32)
    return np.where(singles > thresholds, np.nextafter(singles, np.float32(-np.inf)), singles)


_ARRAYS = {
    "roots": np.int32,
    "feature": np.int32,
    "threshold": np.float64,
    "left": np.int32,
    "right": np.int32,
    "value": np.float64,
}
