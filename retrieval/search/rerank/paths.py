"""The ways through binary trees: which leaf of each tree a candidate reaches, found for all of them at once.

Every question of a tree that is answered with no rules out the leaves on its left. The leftmost leaf that no answer
rules out is the one that a walk from the root reaches, so the questions can be asked in any order (Lucchese et al.
2015, "QuickScorer"). The leaves that are left are the bits of one number.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt

Matrix = npt.NDArray[np.float32]
Scores = npt.NDArray[np.float64]
Numbers = npt.NDArray[np.int64]
Nodes = npt.NDArray[np.int32]

LEAF = -1
"""The feature of a node that asks nothing."""
MOST_LEAVES = 64
"""Leaves of a tree: as many as the widest number has bits."""


@dataclass(frozen=True, slots=True, eq=False)
class Paths:
    """The leaves of t trees, and what leads to them. A small tree asks questions that say nothing."""

    features: Numbers
    """(questions * t,) the feature that is asked, question by question, tree by tree."""
    bounds: Matrix
    """(questions * t, 1) the largest single that is not above the threshold: the same answers in half the room."""
    stay: npt.NDArray[np.unsignedinteger[Any]]
    """(questions * t, 1) bits of the leaves that a no does not rule out."""
    first: Numbers
    """(t,) the first leaf of each tree."""
    values: Scores
    """(leaves,) tree by tree, from left to right."""
    asked: Numbers
    """(steps, leaves) the feature that was asked before each step to a leaf; 0 after the last."""
    moved: Scores
    """(steps, leaves) how much each step moved the value; 0 after the last."""

    def ends(self, values: Matrix) -> Numbers:
        """(n, t): the leaf that each of the candidates (n, features) reaches in each tree."""
        kind, t, n = self.stay.dtype, len(self.first), len(values)
        yes = np.ascontiguousarray(values.T).take(self.features, axis=0) <= self.bounds
        # A yes rules out nothing: all bits.
        stay = np.negative(yes.view(np.uint8).astype(kind, copy=False)) | self.stay
        left = np.bitwise_and.reduce(stay.reshape(len(self.features) // t, t, n), axis=0)
        lowest = left & np.negative(left)
        # Candidate by candidate in memory: a sum over the trees is then the same for any number of candidates.
        return np.ascontiguousarray(np.bitwise_count(lowest - kind.type(1)).T) + self.first

    @classmethod
    def of(cls, roots: Nodes, feature: Nodes, threshold: Scores, left: Nodes, right: Nodes, value: Scores) -> "Paths":
        """The paths of trees; the arguments are those of `Trees`.

        Raises:
            ValueError: a tree has more leaves than `MOST_LEAVES`.
        """
        found = _Walk(feature.tolist(), left.tolist(), right.tolist())
        sizes = [found.tree(root) for root in roots.tolist()]
        if max(sizes) > MOST_LEAVES:
            raise ValueError(f"a tree has {max(sizes)} leaves, at most {MOST_LEAVES} can be told apart")
        kind = next(each for each in (np.uint8, np.uint16, np.uint32, np.uint64) if np.iinfo(each).bits >= max(sizes))
        everything = np.iinfo(kind).max
        tree, question, node, ruled_out = np.asarray(found.questions, dtype=np.uint64).reshape(-1, 4).T
        shape = (max(sizes) - 1, len(sizes))
        features, bounds = np.zeros(shape, dtype=np.int64), np.zeros(shape, dtype=np.float32)
        stay = np.full(shape, everything, dtype=kind)
        features[question, tree], bounds[question, tree] = feature[node], _at_most(threshold[node])
        stay[question, tree] = np.bitwise_not(ruled_out.astype(kind))
        steps = np.asarray(found.steps, dtype=np.int64).reshape(-1, 4)
        leaf, step, above, below = steps.T
        shape = (int(step.max(initial=-1)) + 1, sum(sizes))
        asked, moved = np.zeros(shape, dtype=np.int64), np.zeros(shape)
        asked[step, leaf], moved[step, leaf] = feature[above], value[below] - value[above]
        first = np.cumsum(sizes, dtype=np.int64) - sizes
        return cls(
            features.ravel(), bounds.reshape(-1, 1), stay.reshape(-1, 1), first, value[found.leaves], asked, moved
        )


@dataclass(slots=True)
class _Walk:
    """Trees, walked from left to right one after the other."""

    feature: Sequence[int]
    left: Sequence[int]
    right: Sequence[int]
    """By node."""
    leaves: list[int] = field(default_factory=list)
    """Their nodes."""
    questions: list[tuple[int, int, int, int]] = field(default_factory=list)
    """(tree, which of its questions, node, bits of the leaves on its left)."""
    steps: list[tuple[int, int, int, int]] = field(default_factory=list)
    """(leaf, which of the steps to it, node, next node)."""
    trees: int = 0

    def tree(self, root: int) -> int:
        """Walk one more; how many leaves it has."""
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
        # Between its last leaf on the left and the next one no other node of the tree parts them.
        self.questions.append((self.trees - 1, end - 1, node, (1 << end) - (1 << (start - first))))
        self._below([*path, self.right[node]], first)


def _at_most(thresholds: Scores) -> Matrix:
    singles = thresholds.astype(np.float32)
    return np.where(singles > thresholds, np.nextafter(singles, np.float32(-np.inf)), singles)
