"""One answer: what a search found, how relevant that is, and what of it is relevant enough."""

from dataclasses import asdict, dataclass
from uuid import UUID, uuid5

from retrieval.rag.calibration import Calibration, relevances
from retrieval.rag.contract import DocumentChunk, RAGContext, RetrieveRequest
from retrieval.rag.documents import DOCUMENT_ID
from retrieval.rag.measures import LOOKED_AT
from retrieval.rag.relevance import why_none
from retrieval.rag.sections import section_of
from retrieval.search.retriever import Retriever
from retrieval.types import Hit

NAMESPACE = UUID("6ba30f4c-0c2b-5c2c-9df3-3e0f4d9e6d51")
"""Of the ids of questions, contexts, jobs and documents."""


@dataclass(frozen=True, slots=True)
class Reader:
    """What an answer is made with."""

    retriever: Retriever
    calibration: Calibration
    strategy: str


def answer(reader: Reader, request: RetrieveRequest) -> RAGContext:
    """Answer a request that was checked.

    Chunks below the threshold are left out, and the mean is over those that are left: one good chunk among weak ones is
    an answer. Where none is left, the mean over the best says how far off they are.
    """
    retriever = reader.retriever
    wanted = max(request.max_chunks, LOOKED_AT)
    hits = retriever.retrieve(request.query, wanted, reader.strategy, decisions=False).hits
    scores = relevances(retriever, request.query, [hit.chunk.id for hit in hits], reader.calibration).tolist()
    offered = list(zip(hits, scores, strict=True))[: request.max_chunks]
    kept = [(hit, score) for hit, score in offered if score >= request.min_relevance]
    meant = kept or offered
    average = sum(score for _, score in meant) / len(meant) if meant else 0.0
    query_id = uuid5(NAMESPACE, f"query\0{request.query}")
    return RAGContext(
        context_id=uuid5(NAMESPACE, f"context\0{retriever.snapshot.id}\0{sorted(asdict(request).items())}"),
        query_id=query_id,
        document_chunks=[_chunk(reader, request.query, hit, score) for hit, score in kept],
        relevance_scores=[score for _, score in kept],
        total_chunks=len(kept),
        avg_relevance=average,
        meets_threshold=bool(kept),
        reason="" if kept else why_none([score for _, score in offered], request.min_relevance),
    )


def _chunk(reader: Reader, question: str, hit: Hit, score: float) -> DocumentChunk:
    chunk, snapshot = hit.chunk, reader.retriever.snapshot
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
    """The id of a document that a build read: of its book and its path there."""
    return uuid5(NAMESPACE, f"document\0{book}\0{document}")
