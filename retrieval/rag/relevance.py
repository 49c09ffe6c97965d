"""What of a search is relevant enough, and what is said where nothing is."""

from collections.abc import Sequence
from dataclasses import replace

from retrieval.rag.calibration import calibration_of, relevances
from retrieval.search.retriever import Retriever
from retrieval.types import Retrieval

RELEVANCE = "relevance"
"""In the evidence of a hit."""


def only_relevant(retriever: Retriever, found: Retrieval, least: float, k: int) -> tuple[Retrieval, str | None]:
    """The hits that are at least so relevant, each with its relevance in its evidence.

    Args:
        retriever: that found them.
        found: a search, of `LOOKED_AT` hits or more: the best of fewer are measured among fewer.
        least: 0 to 1.
        k: how many hits at most.

    Returns:
        The search with those hits; and, where none is left, a sentence that says how far off the best one is.
    """
    snapshot = retriever.snapshot
    calibration = calibration_of(snapshot.folder, snapshot.manifest.embedder.name)
    scores = relevances(retriever, found.query, found.chunk_ids, calibration).tolist()
    hits = tuple(
        replace(hit, evidence={**hit.evidence, RELEVANCE: score})
        for hit, score in zip(found.hits, scores, strict=True)
        if score >= least
    )
    return replace(found, hits=hits[:k]), None if hits else why_none(scores, least)


def why_none(scores: Sequence[float], least: float) -> str:
    """Why nothing is shown.

    Args:
        scores: relevance of the hits that there were, best first.
        least: that none of them reaches.
    """
    if not scores:
        return "nothing in these books answers: no chunk may be shown for this question"
    return (
        f"nothing in these books answers: the best of {len(scores)} chunks has a relevance of {scores[0]:.2f}, "
        f"below {least:g}"
    )
