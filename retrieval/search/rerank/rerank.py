"""The re-ranker: candidates in the order of trees and of what the question asks for, and the addends of a score."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from pathlib import Path

import numpy as np

from retrieval.index.snapshot.metadata_index import Mask
from retrieval.index.snapshot.snapshot import Snapshot
from retrieval.search.candidates import Candidates
from retrieval.search.fusion import Leg, Positions, Scores
from retrieval.search.query import Query
from retrieval.search.rerank.features import matrix, measure
from retrieval.search.rerank.question_kind import prose_log_odds
from retrieval.search.rerank.trees import Matrix, Trees

TREES_FILE = Path(__file__).with_name("trees.json")
"""The built-in trees, for every embedder without its own: no feature depends on the scale of its cosines."""
_OWN_TREES = ("minilm",)
"""Embedders whose trees were fitted on their own vectors: sentence vectors are more informative than the mean of word
vectors."""

START, QUESTION, NO_CANDIDATE = "start", "question", "no_candidate"
"""Addends: the score of the trees before any feature; what prose has because the question asks for it; the score of a
chunk that is not a candidate."""

_GROUPS: Mapping[str, Sequence[str]] = {
    "lexical": ("lexical",),
    "dense": ("less_dense",),
    "tables": ("table_", "less_table_"),
    "numbers": ("number_", "behind_number"),
    "siblings": ("behind_", "distinct"),
    "order": ("less_order",),
    "columns": ("meaning",),
    "names": ("name", "heading", "said_key", "covered_key", "whole_", "best_cell"),
    "heads": ("said_", "less_said", "less_alike_head", "less_covered_key_head"),
    "words": ("alike", "less_alike", "covered", "less_covered", "told", "untold"),
    "form": ("is_row",),
}
"""The addends in which a score is shown: a feature belongs to the first group with a prefix of its name."""


@dataclass(frozen=True, slots=True, eq=False)
class Reranked:
    """Candidates and their scores."""

    positions: Positions
    """(n,) ascending."""
    scores: Scores
    """(n,)."""
    values: Matrix
    """(n, features)."""
    for_prose: Scores
    """(n,) the addend of prose because the question asks for it; part of `scores`."""
    trees_file: str
    """File of the trees."""

    def parts(self, positions: Positions, scores: Scores) -> Sequence[Leg]:
        """Return the addends of the scores of some chunks; for a chunk that is not a candidate, the score is one
        addend."""
        places = np.minimum(np.searchsorted(self.positions, positions), len(self.positions) - 1)
        ranked: Mask = self.positions[places] == positions
        trees = trees_of(self.trees_file)
        shares = trees.shares(self.values[places]) * ranked[:, None]
        legs = [Leg(np.where(ranked, trees.start, 0.0), name=START)]
        legs += [Leg(shares[:, columns].sum(axis=1), name=group) for group, columns in _columns(trees.names).items()]
        legs.append(Leg(np.where(ranked, self.for_prose[places], 0.0), name=QUESTION))
        if not ranked.all():
            legs.append(Leg(np.where(ranked, 0.0, scores), name=NO_CANDIDATE))
        return legs


def rerank(snapshot: Snapshot, question: Query, candidates: Candidates, trees_file: str | None = None) -> Reranked:
    """Score candidates by trees, and prose also by the log odds that the question asks for prose.

    Args:
        candidates: at least one candidate.
        trees_file: the file of the trees; None: the built-in ones for the embedder of the snapshot.

    Raises:
        IndexCorruptError: the file cannot be read.
    """
    file = trees_file or str(trees_file_of(snapshot.manifest.embedder.name))
    trees = trees_of(file)
    values = matrix(measure(snapshot, question, candidates), trees.names)
    for_prose = np.where(candidates.is_row, 0.0, prose_log_odds(question.canonical))
    return Reranked(candidates.positions, trees.scores(values) + for_prose, values, for_prose, file)


def trees_file_of(embedder: str) -> Path:
    """Return the file of the built-in trees for the indexes of an embedder."""
    return TREES_FILE.with_name(f"trees_{embedder}.json") if embedder in _OWN_TREES else TREES_FILE


def group_of(feature: str) -> str:
    """Return the group in which a feature is shown."""
    return next(group for group, names in _GROUPS.items() if feature.startswith(tuple(names)))


@cache
def _columns(names: tuple[str, ...]) -> Mapping[str, Positions]:
    """Return the columns of the features of each group."""
    groups = [group_of(name) for name in names]
    return {group: np.flatnonzero([own == group for own in groups]) for group in _GROUPS}


@lru_cache(maxsize=4)
def trees_of(file: str) -> Trees:
    """Return the trees of a file, which must not change. Raises IndexCorruptError."""
    return Trees.read(Path(file))
