"""The second look: the best candidates of the first in a better order."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from pathlib import Path

import numpy as np

from retrieval.files.arrays import distinct
from retrieval.index.snapshot.metadata_index import Mask
from retrieval.index.snapshot.snapshot import Snapshot
from retrieval.search.evidence import Measures
from retrieval.search.fusion import Leg, Positions, Scores, best
from retrieval.search.query import Query
from retrieval.search.rerank.candidates import candidates
from retrieval.search.rerank.features import matrix, measure
from retrieval.search.rerank.trees import Matrix, Trees

TREES_FILE = Path(__file__).with_name("trees.json")
"""The trees that ship, for every embedder: no feature depends on the scale of its cosines."""

BEST, LEXICAL = 100, 50
"""Candidates: that many of the best by all evidence, and by BM25 alone."""

START, FIRST_LOOK = "start", "first_look"
"""What the trees say of every candidate before they know anything; what a chunk has that is no candidate."""

_GROUPS: Mapping[str, Sequence[str]] = {
    "lexical": ("part_lexical",),
    "dense": ("less_dense",),
    "tables": ("table_", "less_table_"),
    "numbers": ("number_", "behind_number"),
    "siblings": ("behind_", "distinct"),
    "order": ("less_order",),
    "columns": ("meaning",),
    "names": ("part_name", "part_heading", "said_key", "covered_key", "whole_", "best_cell"),
    "heads": ("said_", "less_said", "less_alike_head", "less_covered_key_head"),
    "words": ("alike", "less_alike", "covered", "less_covered", "told", "untold"),
    "form": ("is_row",),
}
"""The parts that a score is shown in: a feature belongs to the first group that has a beginning of its name."""


@dataclass(frozen=True, slots=True, eq=False)
class SecondLook:
    """Candidates and what the trees make of them."""

    positions: Positions
    """(n,) rising."""
    scores: Scores
    """(n,)."""
    values: Matrix
    """(n, features)."""
    trees_file: str = ""
    """Of the trees."""

    @classmethod
    def nowhere(cls) -> "SecondLook":
        """At no candidate."""
        return cls(np.zeros(0, dtype=np.int64), np.zeros(0), np.zeros((0, 0), dtype=np.float32))

    @property
    def is_empty(self) -> bool:
        """Whether there is no candidate."""
        return not len(self.positions)

    def parts(self, positions: Positions, scores: Scores) -> Sequence[Leg]:
        """What the scores of these chunks are the sum of; they come from the scores that `over` gave."""
        position, looked = self._places(positions)
        trees = trees_of(self.trees_file)
        shares = trees.shares(self.values[position]) * looked[:, None]
        legs = [Leg(np.where(looked, trees.start, 0.0), name=START)]
        legs += [Leg(shares[:, columns].sum(axis=1), name=group) for group, columns in _columns(trees.names).items()]
        if not looked.all():
            legs.append(Leg(np.where(looked, 0.0, scores), name=FIRST_LOOK))
        return legs

    def scores_of(self, positions: Positions) -> Scores:
        """What the trees make of these chunks; 0 for those that are not candidates."""
        position, looked = self._places(positions)
        return np.where(looked, self.scores[position], 0.0)

    def over(self, scores: Scores) -> Scores:
        """Every chunk's score: the trees' for candidates; the others come after them, in the order of the first."""
        if self.is_empty:
            return scores
        moved: Scores = scores - (float(scores.max()) - float(self.scores.min()) + 1.0)
        moved[self.positions] = self.scores
        return moved

    def _places(self, positions: Positions) -> tuple[Positions, Mask]:
        """Where these chunks are among the candidates, and whether they are."""
        position = np.minimum(np.searchsorted(self.positions, positions), len(self.positions) - 1)
        looked: Mask = self.positions[position] == positions
        return position, looked


def rerank_candidates(
    snapshot: Snapshot, question: Query, evidence: Measures, positions: Positions, trees_file: str | None = None
) -> SecondLook:
    """Look again at the best of a first ranking.

    Args:
        snapshot: what is searched.
        question: what was asked.
        evidence: of the first look.
        positions: the candidates, rising.
        trees_file: of the trees; None: the ones that ship.

    Raises:
        IndexCorruptError: the file cannot be read.
    """
    if not len(positions):
        return SecondLook.nowhere()
    file = trees_file or str(TREES_FILE)
    trees, matches = trees_of(file), candidates(snapshot, evidence, positions)
    values = matrix(measure(snapshot, question, matches), trees.names)
    return SecondLook(positions, trees.scores(values), values, file)


def pool(scores: Scores, lexical: Scores, allowed: Mask | None) -> Positions:
    """The candidates of a first ranking, rising.

    Args:
        scores: (n,) of the first look, whole for its `BEST` best.
        lexical: (n,) BM25.
        allowed: (n,) chunks that may come back; None: all.
    """
    return with_lexical(best(scores, BEST, allowed), lexical, allowed)


def with_lexical(front: Positions, lexical: Scores, allowed: Mask | None) -> Positions:
    """The candidates, rising, where the `BEST` best of the first look are known."""
    return distinct(np.concatenate([front, best(lexical, LEXICAL, allowed)]))


def group_of(feature: str) -> str:
    """The part that a feature is shown in."""
    return next(group for group, names in _GROUPS.items() if feature.startswith(tuple(names)))


@cache
def _columns(names: tuple[str, ...]) -> Mapping[str, Positions]:
    """Which features are in each part."""
    groups = [group_of(name) for name in names]
    return {group: np.flatnonzero([each == group for each in groups]) for group in _GROUPS}


@lru_cache(maxsize=4)
def trees_of(file: str) -> Trees:
    """The trees of a file, which does not change. Raises IndexCorruptError."""
    return Trees.read(Path(file))
