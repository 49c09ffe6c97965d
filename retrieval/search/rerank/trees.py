"""Regression trees as arrays: scores of candidates, and contributions of features."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from retrieval.errors import IndexCorruptError

Matrix = npt.NDArray[np.float32]
Scores = npt.NDArray[np.float64]
Numbers = npt.NDArray[np.int64]
Nodes = npt.NDArray[np.int32]

LEAF = -1
"""The feature of a node without a test."""
MOST_LEAVES = 64
"""The most leaves of a tree: the bits of the widest integer."""


@dataclass(frozen=True, slots=True, eq=False)
class Paths:
    """The leaves of t trees and the paths to them. Smaller trees are padded with tests that have no effect."""

    features: Numbers
    """(questions * t,) the feature that is tested, test by test, tree by tree."""
    bounds: Matrix
    """(questions * t, 1) the largest float32 not above the threshold: the same results in half the memory."""
    stay: npt.NDArray[np.unsignedinteger[Any]]
    """(questions * t, 1) bits of the leaves that a failed test does not rule out."""
    first: Numbers
    """(t,) the first leaf of each tree."""
    values: Scores
    """(leaves,) tree by tree, left to right."""
    step_features: Numbers
    """(steps, leaves) the feature tested before each step to a leaf; 0 after the last."""
    moved: Scores
    """(steps, leaves) the change of the value at each step; 0 after the last."""

    def ends(self, values: Matrix) -> Numbers:
        """Return (n, t) the leaf that each candidate (n, features) reaches in each tree."""
        kind, t, n = self.stay.dtype, len(self.first), len(values)
        yes = np.ascontiguousarray(values.T).take(self.features, axis=0) <= self.bounds
        # A passed test rules out nothing: all bits.
        stay = np.negative(yes.view(np.uint8).astype(kind, copy=False)) | self.stay
        left = np.bitwise_and.reduce(stay.reshape(len(self.features) // t, t, n), axis=0)
        lowest = left & np.negative(left)
        # Contiguous by candidate: a sum over the trees is then the same for any number of candidates.
        return np.ascontiguousarray(np.bitwise_count(lowest - kind.type(1)).T) + self.first

    @classmethod
    def of(cls, roots: Nodes, feature: Nodes, threshold: Scores, left: Nodes, right: Nodes, value: Scores) -> "Paths":
        """Return the paths of trees; the arguments are those of `Trees`.

        Raises:
            ValueError: a tree has more leaves than `MOST_LEAVES`.
        """
        walk = _Walk(feature.tolist(), left.tolist(), right.tolist())
        sizes = [walk.tree(root) for root in roots.tolist()]
        if max(sizes) > MOST_LEAVES:
            raise ValueError(f"a tree has {max(sizes)} leaves, at most {MOST_LEAVES} can be told apart")
        kind = next(
            width for width in (np.uint8, np.uint16, np.uint32, np.uint64) if np.iinfo(width).bits >= max(sizes)
        )
        everything = np.iinfo(kind).max
        tree, question, node, ruled_out = np.asarray(walk.questions, dtype=np.uint64).reshape(-1, 4).T
        shape = (max(sizes) - 1, len(sizes))
        features, bounds = np.zeros(shape, dtype=np.int64), np.zeros(shape, dtype=np.float32)
        stay = np.full(shape, everything, dtype=kind)
        features[question, tree], bounds[question, tree] = feature[node], _at_most(threshold[node])
        stay[question, tree] = np.bitwise_not(ruled_out.astype(kind))
        steps = np.asarray(walk.steps, dtype=np.int64).reshape(-1, 4)
        leaf, step, above, below = steps.T
        shape = (int(step.max(initial=-1)) + 1, sum(sizes))
        step_features, moved = np.zeros(shape, dtype=np.int64), np.zeros(shape)
        step_features[step, leaf], moved[step, leaf] = feature[above], value[below] - value[above]
        first = np.cumsum(sizes, dtype=np.int64) - sizes
        return cls(
            features.ravel(),
            bounds.reshape(-1, 1),
            stay.reshape(-1, 1),
            first,
            value[walk.leaves],
            step_features,
            moved,
        )


@dataclass(slots=True)
class _Walk:
    """Trees, walked one after another from left to right."""

    feature: Sequence[int]
    left: Sequence[int]
    right: Sequence[int]
    """Indexed by node."""
    leaves: list[int] = field(default_factory=list)
    """Nodes of the leaves."""
    questions: list[tuple[int, int, int, int]] = field(default_factory=list)
    """(tree, index of the test in it, node, bits of the leaves on its left)."""
    steps: list[tuple[int, int, int, int]] = field(default_factory=list)
    """(leaf, index of the step to it, node, next node)."""
    trees: int = 0

    def tree(self, root: int) -> int:
        """Walk one more tree, and return its number of leaves."""
        first = len(self.leaves)
        self.trees += 1
        self._below([root], first)
        return len(self.leaves) - first

    def _below(self, path: list[int], first: int) -> None:
        node, start = path[-1], len(self.leaves)
        if self.feature[node] == LEAF:
            self.steps.extend((start, step, *pair) for step, pair in enumerate(pairwise(path)))
            self.leaves.append(node)
            return
        self._below([*path, self.left[node]], first)
        end = len(self.leaves) - first
        # No other node of the tree separates its last leaf on the left from the next one.
        self.questions.append((self.trees - 1, end - 1, node, (1 << end) - (1 << (start - first))))
        self._below([*path, self.right[node]], first)


def _at_most(thresholds: Scores) -> Matrix:
    singles = thresholds.astype(np.float32)
    return np.where(singles > thresholds, np.nextafter(singles, np.float32(-np.inf)), singles)


class Node(NamedTuple):
    """A node of a tree; its children are indices into a list of nodes, before its own."""

    feature: int
    threshold: float
    left: int
    right: int
    value: float


@dataclass(frozen=True)
class Trees:
    """A sum of binary trees. A value goes left if it is not above the threshold.

    Every node has a value: a leaf its own, an inner node the mean of the leaves below it, weighted by their numbers of
    examples. The steps of a path therefore sum to the value of its leaf: each step belongs to the feature tested there
    (Saabas 2014, "Interpreting random forests"; the sum is exact).
    """

    names: tuple[str, ...]
    """The features, in the order of the columns."""
    roots: npt.NDArray[np.int32]
    feature: npt.NDArray[np.int32]
    """Feature of each node; `LEAF` for a leaf."""
    threshold: npt.NDArray[np.float64]
    left: npt.NDArray[np.int32]
    right: npt.NDArray[np.int32]
    value: npt.NDArray[np.float64]

    @classmethod
    def of_nodes(cls, names: Sequence[str], roots: Sequence[int], nodes: Sequence[Node]) -> "Trees":
        """Return trees of at least one node; roots and children are indices into `nodes`."""
        arrays = dict(zip(Node._fields, zip(*nodes, strict=True), strict=True)) | {"roots": roots}
        return cls(tuple(names), **{name: np.asarray(arrays[name], dtype=dtype) for name, dtype in _ARRAYS.items()})

    @property
    def start(self) -> float:
        """The score before any feature is tested."""
        return float(self.value[self.roots].sum())

    def scores(self, values: Matrix) -> Scores:
        """Return (n,) the scores of candidates (n, features)."""
        total: Scores = self._paths.values[self._paths.ends(values)].sum(axis=1)
        return total

    def shares(self, values: Matrix) -> Scores:
        """Return (n, features) the contribution of each feature; with `start` they sum to the score."""
        paths, (n, features) = self._paths, (len(values), len(self.names))
        leaf = paths.ends(values)
        position = paths.step_features.take(leaf, axis=1) + features * np.arange(n)[:, None]
        moved = paths.moved.take(leaf, axis=1)
        return np.bincount(position.ravel(), moved.ravel(), n * features).astype(np.float64).reshape(n, features)

    @cached_property
    def _paths(self) -> Paths:
        return Paths.of(self.roots, self.feature, self.threshold, self.left, self.right, self.value)

    def to_json(self) -> Mapping[str, Any]:
        """Return the trees as JSON values, with exact thresholds and values."""
        return {
            "names": list(self.names),
            **{name: getattr(self, name).tolist() for name in _ARRAYS},
        }

    @property
    def written(self) -> str:
        """The text from which `read` reads them."""
        return json.dumps(self.to_json(), separators=(",", ":")) + "\n"

    @classmethod
    def read(cls, path: Path) -> "Trees":
        """Read the trees of a file.

        Raises:
            IndexCorruptError: the file cannot be read, or its arrays do not fit each other.
        """
        try:
            content = json.loads(path.read_text("utf-8"))
            arrays = {name: np.asarray(content[name], dtype=dtype) for name, dtype in _ARRAYS.items()}
            names = tuple(map(str, content["names"]))
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
        """Whether every path ends: children are before their parents, and every feature has a name."""
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
