"""What of a search is relevant enough, and what is said where nothing is."""

from collections.abc import Callable, Sequence
from dataclasses import replace

from retrieval.rag.calibration import calibration_of, relevances
from retrieval.rag.measures import LOOKED_AT
from retrieval.search.metadata_filter.filter import Filter
from retrieval.search.retriever import Retriever
from retrieval.strategy import Strategy
from retrieval.types import RELEVANCE, Hit, Retrieval


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
    measured: bool = False,
    debug: bool = False,
) -> tuple[Retrieval, str | None]:
    """A search as the command and the server make it.

    Args:
        retriever: `Retriever.retrieve` says what the others are, and what it raises.
        query: the question.
        k: how many hits at most.
        strategy: a name, or a strategy of your own.
        where: which chunks may come back at all.
        least: relevance that every hit must have, 0 to 1; None: any.
        measured: whether relevance is measured where `least` is None, too.
        debug: name what was kept out, too.

    Returns:
        What was found, and why it is nothing where `least` left nothing.
    """
    looked_at = k if least is None else max(k, LOOKED_AT)
    found = retriever.retrieve(query, looked_at, strategy, where=where, debug=debug)
    if least is not None:
        return _only_relevant(retriever, found, least, k)
    if not measured:
        return found, None
    # The best of fewer would be measured among fewer. The receipt is that of the k that were asked for, and a model
    # that orders them is asked once.
    enough = k >= LOOKED_AT or found.receipt.ordering is not None
    whole = found if enough else retriever.retrieve(query, LOOKED_AT, strategy, where=where, decisions=False)
    relevance = dict(zip(whole.chunk_ids, relevance_of(retriever)(query, whole.chunk_ids), strict=True))
    return replace(found, hits=tuple(marked(hit, relevance.get(hit.chunk.id)) for hit in found.hits)), None


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
    hits = tuple(marked(hit, score) for hit, score in zip(found.hits, scores, strict=True) if score >= least)
    return replace(found, hits=hits[:k]), None if hits else why_none(scores, least)


def marked(hit: Hit, relevance: float | None) -> Hit:
    """The hit with its relevance among its evidence; as it is where there is none."""
    return hit if relevance is None else replace(hit, evidence={**hit.evidence, RELEVANCE: relevance})


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
