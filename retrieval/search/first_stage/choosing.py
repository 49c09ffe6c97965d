"""Which first stage a snapshot is asked through, and what is made of it."""

import numpy as np

from retrieval.index.milvus.server import MilvusServer
from retrieval.index.snapshot.metadata_index import Mask
from retrieval.index.snapshot.snapshot import Snapshot
from retrieval.search.dense.prefilter import by_distance
from retrieval.search.first_stage.embedded import EmbeddedStage
from retrieval.search.first_stage.milvus import MilvusStage
from retrieval.search.first_stage.stage import DEPTH, FirstStage, Passing
from retrieval.search.query import Query
from retrieval.search.ranking import Ranking
from retrieval.settings import Settings
from retrieval.types import Vector


def first_stage(snapshot: Snapshot) -> FirstStage:
    """The stage that the setting `store` of the snapshot's home names.

    Raises:
        IndexMissingError: the server it names cannot be reached, or its client is not installed.
        UnreadableSettingsError: it names none.
    """
    server = MilvusServer.of(Settings.read(snapshot.folder.parents[1]).store, snapshot.id)
    return EmbeddedStage(snapshot) if server is None else MilvusStage(snapshot, server)


def found(
    stage: FirstStage, snapshot: Snapshot, question: Query, vector: Vector | None, k: int, passing: Passing
) -> Mask | None:
    """(n,): what a stage gives the careful ranking to look at; None where that looks at all chunks.

    It does too where a stage finds fewer than were asked for: what has no word of the question may be all that is left.
    """
    if stage.scores_all:
        return None
    candidates = stage.candidates(question, vector, max(k, DEPTH), passing)
    if len(candidates) < k:
        return None
    mask = np.zeros(len(snapshot), dtype=np.bool_)
    mask[candidates] = True
    return mask


def ranked_by_distance(
    stage: FirstStage, snapshot: Snapshot, vector: Vector, k: int, passing: Passing, *, debug: bool
) -> Ranking:
    """The k nearest of what a stage finds, by exact distance.

    Args:
        stage: where the neighbours come from.
        snapshot: what is searched.
        vector: (dimensions,).
        k: how many.
        passing: which chunks may come back.
        debug: also find out which chunks that query_must excludes would have been among the first k.
    """
    ranking = by_distance(snapshot, stage.nearest(vector, k, passing), vector, k)
    if passing.admitted is None:
        return ranking
    if not debug:
        return Ranking(ranking.positions, ranking.scores, ranking.evidence, ranking.parts, displaced=None)
    unfiltered = by_distance(snapshot, stage.nearest(vector, k, Passing(None, passing.where)), vector, k).positions
    displaced = unfiltered[~passing.admitted.mask(snapshot, passing.where)[unfiltered]]
    return Ranking(ranking.positions, ranking.scores, ranking.evidence, ranking.parts, displaced=displaced)
