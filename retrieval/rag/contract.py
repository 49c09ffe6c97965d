"""The records of the contract, and the preparation of documents for it."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import date
from hashlib import sha256
from itertools import pairwise
from pathlib import Path, PurePosixPath
from typing import Any
from uuid import UUID, uuid5

from retrieval.errors import InvalidDocumentError, NoDocumentsFoundError
from retrieval.ingest.chunking import chunk_book
from retrieval.ingest.library.front_matter import read_metadata, split_front_matter
from retrieval.ingest.losses import recorded_losses
from retrieval.ingest.parsed_book import ParsedBook, parse_book
from retrieval.ingest.prose_chunking import USUAL, Cuts
from retrieval.ingest.tables.row_predicates import extract_predicates
from retrieval.ingest.tables.rows import transform_tables
from retrieval.language.vocabulary import Vocabulary
from retrieval.types import Book, Chunk, Document, Metadata

DOC_TYPES = ("core-rules", "faq", "team-rules", "ops", "killzone")
"""The allowed types of documents."""
REQUIRED = ("source", "doc_type", "last_update_date")
"""Metadata keys that every document and each of its chunks must have."""


@dataclass(frozen=True, slots=True)
class RetrieveRequest:
    """A question, and the limits for its answer."""

    query: str
    """1 to 2,000 characters."""
    context_key: str
    """`{channel_id}:{user_id}`: identifies the conversation."""
    max_chunks: int = 5
    min_relevance: float = 0.6
    """0 to 1. Not a cosine: see `DocumentChunk.relevance_score`."""


@dataclass(frozen=True, slots=True)
class DocumentChunk:
    """A passage or a table row that answers a question."""

    chunk_id: UUID
    """Id of the content: the same passage has the same id in every index."""
    document_id: UUID
    text: str
    """The text for a reader or a model: prose, or a row as a JSON object."""
    metadata: Mapping[str, Any]
    """`source`, `doc_type`, `last_update_date`, `section`, and all other metadata of the document."""
    relevance_score: float
    """0 to 1: among questions for which a library has chunks that match as well as this one, the share that the library
    answers. It never increases along a ranking. Unlike this score, ranking scores of different questions cannot be
    compared."""
    position_in_doc: int
    """Ordinal of the chunk in its document, from 0."""


@dataclass(frozen=True, slots=True)
class RAGContext:
    """The chunks for a question. `document_chunks` is empty if nothing in these books answers it."""

    context_id: UUID
    query_id: UUID
    document_chunks: list[DocumentChunk]
    """Best first."""
    relevance_scores: list[float]
    """Scores of the chunks, in the same order."""
    total_chunks: int
    """The number of returned chunks."""
    avg_relevance: float
    """Mean over the chunks; if none is returned, over the best candidates."""
    meets_threshold: bool
    """Whether any chunk is returned: each of them has at least the requested relevance, and so does their mean."""
    reason: str = ""
    """Why there is no chunk; empty if there is one."""

    def required(self) -> "RAGContext":
        """Return this context, for callers that prefer an exception to an empty context.

        Raises:
            NoDocumentsFoundError: it contains no chunk; the message is the reason.
        """
        if not self.document_chunks:
            raise NoDocumentsFoundError(self.reason)
        return self


@dataclass(frozen=True, slots=True)
class RuleDocument:
    """A document to be ingested. Key: document_id."""

    document_id: UUID
    filename: str
    content: str
    """The whole markdown text."""
    metadata: Mapping[str, Any] = field(default_factory=dict)
    """`source`, `doc_type` and `last_update_date` are required; other keys are optional."""


@dataclass(frozen=True, slots=True)
class IngestionResult:
    """The result of ingesting or removing a batch of documents."""

    job_id: UUID
    documents_processed: int
    """Documents whose given version is now in the index, whether or not it changed."""
    documents_failed: int
    """Documents that failed; if they were in the index before, they are unchanged."""
    embedding_count: int
    """New vectors; a text that was embedded before is not embedded again."""
    errors: list[str]
    """File names of the documents that failed, in the order of the batch."""
    warnings: list[str]
    """Why those documents failed, and anything unusual in the others; each begins with the file name."""
    duration_seconds: float


DOCUMENT_ID, DOCUMENT_HASH = "document_id", "document_hash"
"""Metadata keys of every chunk of an ingested document."""

_HEADING = re.compile(r"^(#{1,6})\s+(.*\S)", re.MULTILINE)
_FILES = UUID("0e7a3f3e-58a1-5b0c-9c6a-6a1a1f1c0a52")


@dataclass(frozen=True, slots=True)
class Prepared:
    """A document in the form in which it is indexed."""

    document: Document
    hash: str
    """Hash of its text, name and metadata, and of how it is cut; a document with an unchanged hash is not indexed
    again."""
    warnings: tuple[str, ...]

    def cut(self, vocabulary: Vocabulary, cuts: Cuts = USUAL) -> tuple[tuple[Chunk, ...], tuple[str, ...]]:
        """Return its chunks, and warnings about ambiguous or unreadable markdown.

        Raises:
            InvalidDocumentError: it has no chunk.
        """
        # An ingested document has its own title, and its book has no title.
        with recorded_losses() as losses:
            parsed = parse_book(Book(self.document.book, "", (self.document,)))
            rows = extract_predicates(transform_tables(parsed.tables, vocabulary, [self.document.text]))
            chunks = chunk_book(parsed, rows, cuts)
        if not chunks:
            raise InvalidDocumentError(
                "; ".join(map(str, losses)) or "its content has no text that can be shown; give it some"
            )
        tables = (table.warning for table in parsed.tables if table.warning)
        return chunks, (*_ambiguities(parsed), *tables, *map(str, losses))


def prepare(given: RuleDocument, how: str = "") -> Prepared:
    """Check a document and return it in the form in which it is indexed.

    Args:
        how: how it is cut; part of its hash.

    Raises:
        InvalidDocumentError: required metadata is missing or cannot be used, or there is no text.
    """
    if not isinstance(given.document_id, UUID):
        raise InvalidDocumentError(f"its document_id is {given.document_id!r:.60}, not a UUID")
    if not isinstance(given.filename, str) or not given.filename.strip():
        raise InvalidDocumentError(f"its filename is {given.filename!r:.60}; give it a name")
    if not isinstance(given.content, str) or not given.content.strip() or "\0" in given.content:
        raise InvalidDocumentError("its content is empty, or no text; give all of its markdown")
    warnings: list[str] = []
    text = given.content.replace("\r\n", "\n").replace("\r", "\n")
    try:
        text.encode()
    except UnicodeEncodeError as error:
        raise InvalidDocumentError(f"its content has {text[error.start]!r}, half a character") from error
    front_matter, body, first_line = split_front_matter(text, given.filename, warnings)
    metadata = _checked({**front_matter, **read_metadata(dict(given.metadata), "its metadata")})
    title = metadata.get("title") or _first_heading(body)
    if not title:
        title = PurePosixPath(given.filename).stem
        warnings.append(f"has no title and no heading; it is called {title!r}")
    digest = _digest(given.filename, text, metadata, how)
    whole: dict[str, Any] = {
        "category": metadata["doc_type"],
        **metadata,
        "title": title,
        DOCUMENT_ID: str(given.document_id),
        DOCUMENT_HASH: digest,
    }
    document = Document(str(given.document_id), given.filename, body, whole, first_line)
    return Prepared(document, digest, tuple(warnings))


def read_rule_documents(folder: Path) -> tuple[RuleDocument, ...]:
    """Return the `.md` files of a folder in name order; metadata comes from their front matter, ids from their
    names."""
    return tuple(
        RuleDocument(uuid5(_FILES, path.name), path.name, path.read_text(encoding="utf-8"))
        for path in sorted(folder.glob("*.md"))
    )


def _checked(metadata: Metadata) -> Metadata:
    missing = [name for name in REQUIRED if not str(metadata.get(name, "")).strip()]
    if missing:
        raise InvalidDocumentError(f"its metadata has no {', '.join(missing)}; give {'them' if missing[1:] else 'it'}")
    if metadata["doc_type"] not in DOC_TYPES:
        raise InvalidDocumentError(f"its doc_type is {metadata['doc_type']!r}; write one of {', '.join(DOC_TYPES)}")
    try:
        date.fromisoformat(str(metadata["last_update_date"]))
    except ValueError as error:
        raise InvalidDocumentError(
            f"its last_update_date is {metadata['last_update_date']!r}; write a date such as 2026-03-14"
        ) from error
    return metadata


def _first_heading(text: str) -> str | None:
    match = _HEADING.search(text)
    return match[2].strip("# ") if match else None


def _digest(filename: str, text: str, metadata: Mapping[str, object], how: str) -> str:
    return sha256(repr((filename, text, sorted(metadata.items()), how)).encode()).hexdigest()


def _ambiguities(parsed: ParsedBook) -> Iterator[str]:
    levels = [block.level for document in parsed.documents for block in document.blocks if block.level]
    if not levels:
        yield "has no heading, so no chunk of it has a section"
    for above, below in pairwise(levels):
        if below > above + 1:
            yield f"goes from a heading of level {above} to one of level {below}; one between them is missing"
            return
