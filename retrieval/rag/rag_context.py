"""The context that the contract returns for a question: chunks with their relevance and sections."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from uuid import UUID, uuid5

from retrieval.index.snapshot.snapshot import Snapshot
from retrieval.rag.contract import DOCUMENT_ID, DocumentChunk, RAGContext, RetrieveRequest
from retrieval.rag.relevance import N_CANDIDATES, Calibration, calibration_of, relevances, subject_of, why_none
from retrieval.search.retriever import Retriever
from retrieval.types import Chunk, Hit

_HEADING = re.compile(r"^(?:#{1,6}\s+(?P<hashed>.+?)\s*#*|\*\*(?P<bold>[^*\n]+)\*\*)$")


def section_of(snapshot: Snapshot, question: str, chunk: Chunk) -> str | None:
    """Return the heading above the part that best matches the question, the first of equals; None if there is no
    heading.

    A row belongs to the last heading above its table.
    """
    nearest = chunk.heading_path[-1] if chunk.heading_path else None
    if chunk.kind != "prose":
        return nearest or chunk.caption
    parts = list(_parts(chunk.text, nearest))
    if len(parts) < 2:
        return parts[0][0] if parts else nearest
    query = set(snapshot.lexical.read(snapshot.spelling(subject_of(question))))
    shares = [_weight(snapshot, query & set(snapshot.lexical.tokenize(f"{name} {text}"))) for name, text in parts]
    headed = [_weight(snapshot, query & set(snapshot.lexical.tokenize(name or ""))) for name, _ in parts]
    best = max(range(len(parts)), key=lambda number: (shares[number] + headed[number], -number))
    return parts[best][0] if shares[best] > 0 else nearest


def _parts(text: str, above: str | None) -> Iterator[tuple[str | None, str]]:
    """Yield each heading with the text directly below it; text before the first heading has `above`. A heading without
    text is skipped."""
    heading, lines = above, list[str]()
    for line in text.split("\n"):
        match = _HEADING.match(line.strip())
        if match is None:
            lines.append(line)
            continue
        if any(map(str.strip, lines)):
            yield heading, "\n".join(lines)
        heading, lines = match["hashed"] or match["bold"], []
    if any(map(str.strip, lines)):
        yield heading, "\n".join(lines)


def _weight(snapshot: Snapshot, words: set[str]) -> float:
    places: Sequence[int | None] = list(snapshot.lexical.terms.words(sorted(words)))
    return float(sum(snapshot.rarity[position] for position in places if position is not None))


NAMESPACE = UUID("6ba30f4c-0c2b-5c2c-9df3-3e0f4d9e6d51")
"""Namespace of the ids of questions, contexts, jobs and documents."""


@dataclass(frozen=True, slots=True)
class ContextSource:
    """The retriever, calibration and strategy that find the context of a question."""

    retriever: Retriever
    calibration: Calibration
    strategy: str

    @classmethod
    def of(cls, retriever: Retriever, strategy: str = "default") -> "ContextSource":
        """Return a source with the calibration that the snapshot was built with. Raises IndexCorruptError if it cannot
        be read."""
        snapshot = retriever.snapshot
        return cls(retriever, calibration_of(snapshot.folder, snapshot.manifest.embedder.name), strategy)


def retrieve_context(source: ContextSource, request: RetrieveRequest) -> RAGContext:
    """Return the context of a checked request.

    Chunks below the threshold are left out, and the mean is over the rest: one good chunk among weak ones is an answer.
    If none is left, the mean over the best shows how far off they are.
    """
    retriever = source.retriever
    wanted = max(request.max_chunks, N_CANDIDATES)
    hits = retriever.retrieve(request.query, wanted, source.strategy, decisions=False).hits
    scores = relevances(retriever, request.query, [hit.chunk.id for hit in hits], source.calibration).tolist()
    offered = list(zip(hits, scores, strict=True))[: request.max_chunks]
    kept = [(hit, score) for hit, score in offered if score >= request.min_relevance]
    meant = kept or offered
    average = sum(score for _, score in meant) / len(meant) if meant else 0.0
    query_id = uuid5(NAMESPACE, f"query\0{request.query}")
    return RAGContext(
        context_id=uuid5(NAMESPACE, f"context\0{retriever.snapshot.id}\0{sorted(asdict(request).items())}"),
        query_id=query_id,
        document_chunks=[_chunk(source, request.query, hit, score) for hit, score in kept],
        relevance_scores=[score for _, score in kept],
        total_chunks=len(kept),
        avg_relevance=average,
        meets_threshold=bool(kept),
        reason="" if kept else why_none([score for _, score in offered], request.min_relevance),
    )


def _chunk(source: ContextSource, question: str, hit: Hit, score: float) -> DocumentChunk:
    chunk, snapshot = hit.chunk, source.retriever.snapshot
    section = section_of(snapshot, question, chunk)
    given = chunk.metadata.get(DOCUMENT_ID)
    return DocumentChunk(
        chunk_id=UUID(chunk.id),
        document_id=UUID(str(given)) if given else document_id(chunk.book, chunk.document),
        text=chunk.text,
        metadata={
            **chunk.metadata,
            "book": chunk.book,
            "document": chunk.document,
            "lines": chunk.lines,
            "embedding_model": f"{snapshot.manifest.embedder.name} {snapshot.manifest.embedder.version}",
            "score": hit.score,
            **({"section": section} if section else {}),
        },
        relevance_score=score,
        position_in_doc=chunk.position,
    )


def document_id(book: str, document: str) -> UUID:
    """Return the id of a document read by a build, from its book and its path there."""
    return uuid5(NAMESPACE, f"document\0{book}\0{document}")


def with_own_lists(context: RAGContext) -> RAGContext:
    """Return the same context with its own lists, so that a caller who sorts them does not affect others."""
    chunks = [replace(chunk, metadata=dict(chunk.metadata)) for chunk in context.document_chunks]
    return replace(context, document_chunks=chunks, relevance_scores=list(context.relevance_scores))
