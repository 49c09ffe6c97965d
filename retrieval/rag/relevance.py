"""What of a search is relevant enough, and what is said where nothing is."""

from collections.abc import Callable, Sequence
from dataclasses import replace

from retrieval.rag.calibration import calibration_of, relevances
from retrieval.rag.measures import LOOKED_AT
from retrieval.search.metadata_filter.filter import Filter
from retrieval.search.retriever import Retriever
from retrieval.strategy import Strategy
from retrieval.types import Retrieval

RELEVANCE = "relevance"
"""In the evidence of a hit."""


def relevance_of(retriever: Retriever) -> Callable[[str, Sequence[str]], Sequence[float]]:
    """Measures the calibrated relevance of the chunks of a ranking: (question, chunk ids, best first) -> 0 to 1 each.

    Raises:
        IndexCorruptError: the snapshot's calibration cannot be read.
    """
    snapshot = retriever.snapshot
    calibration = calibration_of(snapshot.folder, snapshot.manifest.embedder.name)
    return lambda question, chunk_ids: relevances(retriever, question, chunk_ids, calibration).tolist()


def search(
    retriever: Retriever,
    query: str,
    k: int,
    strategy: str | Strategy,
    *,
    where: Filter | None = None,
    least: float | None = None,
    debug: bool = False,
) -> tuple[Retrieval, str | None]:
    """A search as the command and the server make it.

    Args:
        retriever: `Retriever.retrieve` says what the others are, and what it raises.
        query: the question.
        k: how many hits at most.
        strategy: a name, or a strategy of your own.
        where: which chunks may come back at all.
        least: relevance that every hit must have, 0 to 1; None: any, and none is measured.
        debug: name what was kept out, too.

    Returns:
        What was found, and why it is nothing where `least` left nothing.
    """
    looked_at = k if least is None else max(k, LOOKED_AT)
    found = retriever.retrieve(query, looked_at, strategy, where=where, debug=debug)
    return (found, None) if least is None else _only_relevant(retriever, found, least, k)


def _only_relevant(retriever: Retriever, found: Retrieval, least: float, k: int) -> tuple[Retrieval, str | None]:
    """The hits that are at least so relevant, each with its relevance in its evidence.

    Args:
        retriever: that found them.
        found: a search, of `LOOKED_AT` hits or more: the best of fewer are measured among fewer.
        least: 0 to 1.
        k: how many hits at most.

    Returns:
        The search with those hits; and, where none is left, a sentence that says how far off the best one is.
    """
    scores = relevance_of(retriever)(found.query, found.chunk_ids)
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
