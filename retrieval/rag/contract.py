"""The records of the contract, and documents read for it."""

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
from retrieval.ingest.sections import USUAL, Cuts
from retrieval.ingest.tables.rows import extract_predicates, transform_tables
from retrieval.language.vocabulary import Vocabulary
from retrieval.types import Book, Chunk, Document, Metadata

DOC_TYPES = ("core-rules", "faq", "team-rules", "ops", "killzone")
"""What a document may be."""
REQUIRED = ("source", "doc_type", "last_update_date")
"""Metadata that every document has, and every chunk of it."""


@dataclass(frozen=True, slots=True)
class RetrieveRequest:
    """A question, and how much of an answer is wanted."""

    query: str
    """1 to 2,000 characters."""
    context_key: str
    """`{channel_id}:{user_id}`: whose conversation it is."""
    max_chunks: int = 5
    min_relevance: float = 0.6
    """0 to 1. It is no cosine: see `DocumentChunk.relevance_score`."""


@dataclass(frozen=True, slots=True)
class DocumentChunk:
    """A passage or a table row that answers a question."""

    chunk_id: UUID
    """Of the content: the same passage has the same id in every index."""
    document_id: UUID
    text: str
    """What a reader or a model is shown: prose, or a row as a JSON object."""
    metadata: Mapping[str, Any]
    """`source`, `doc_type`, `last_update_date`, `section`, and what else the document has."""
    relevance_score: float
    """0 to 1: of the questions for which a library says as much as this chunk does for this one, the share that the
    library answers. It never rises along a ranking. The score that ranks says nothing between two questions."""
    position_in_doc: int
    """Ordinal of the chunk in its document, from 0."""


@dataclass(frozen=True, slots=True)
class RAGContext:
    """What is known about a question. `document_chunks` is empty where nothing in these books answers it."""

    context_id: UUID
    query_id: UUID
    document_chunks: list[DocumentChunk]
    """The best first."""
    relevance_scores: list[float]
    """Of the chunks, in their order."""
    total_chunks: int
    """How many are returned."""
    avg_relevance: float
    """Mean over the chunks; where none is returned, over the best that would have been."""
    meets_threshold: bool
    """Whether a chunk is returned: each of them is at least as relevant as was asked, and so is their mean."""
    reason: str = ""
    """Why there is no chunk; empty where there is one."""

    def required(self) -> "RAGContext":
        """This context, for a caller that would rather be interrupted than look.

        Raises:
            NoDocumentsFoundError: it holds no chunk; the message is the reason.
        """
        if not self.document_chunks:
            raise NoDocumentsFoundError(self.reason)
        return self


@dataclass(frozen=True, slots=True)
class RuleDocument:
    """A document as it comes in. Key: document_id."""

    document_id: UUID
    filename: str
    content: str
    """All of its markdown."""
    metadata: Mapping[str, Any] = field(default_factory=dict)
    """`source`, `doc_type` and `last_update_date` must be there; any other key may."""


@dataclass(frozen=True, slots=True)
class IngestionResult:
    """What became of a batch of documents."""

    job_id: UUID
    documents_processed: int
    """Those that are in the index now as they were given, whether or not that changed anything."""
    documents_failed: int
    """Those that are in the index as they were before, if they were."""
    embedding_count: int
    """Vectors that were made; a text that was embedded before is not embedded again."""
    errors: list[str]
    """File names of the documents that failed, in the order of the batch."""
    warnings: list[str]
    """Why those failed, and what is strange about others; each begins with the file name."""
    duration_seconds: float


DOCUMENT_ID, DOCUMENT_HASH = "document_id", "document_hash"
"""Metadata keys of every chunk of a document that was ingested."""

_HEADING = re.compile(r"^(#{1,6})\s+(.*\S)", re.MULTILINE)
_FILES = UUID("0e7a3f3e-58a1-5b0c-9c6a-6a1a1f1c0a52")


@dataclass(frozen=True, slots=True)
class Prepared:
    """A document as it will be in the index."""

    document: Document
    hash: str
    """Of its text, its name, its metadata and how it is cut: what did not change since is not indexed again."""
    warnings: tuple[str, ...]

    def cut(self, vocabulary: Vocabulary, cuts: Cuts = USUAL) -> tuple[tuple[Chunk, ...], tuple[str, ...]]:
        """Its chunks, and what of its markdown can be read in more ways than one, or could not be read.

        Raises:
            InvalidDocumentError: it has no chunk.
        """
        # A document that comes alone has a title of its own, and no book has another.
        with recorded_losses() as losses:
            parsed = parse_book(Book(self.document.book, "", (self.document,)))
            rows = extract_predicates(transform_tables(parsed.tables, vocabulary, [self.document.text]))
            chunks = chunk_book(parsed, rows, cuts)
        if not chunks:
            raise InvalidDocumentError(
                "; ".join(map(str, losses)) or "nothing of its content can be shown; give it text"
            )
        tables = (table.warning for table in parsed.tables if table.warning)
        return chunks, (*_ambiguities(parsed), *tables, *map(str, losses))


def prepare(given: RuleDocument, how: str = "") -> Prepared:
    """Check a document.

    Args:
        given: the document.
        how: it is cut; part of its hash.

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
    """The `.md` files of a folder in name order; their front matter is their metadata, their names give their ids."""
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
            f"its last_update_date is {metadata['last_update_date']!r}; write a day as 2026-03-14"
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
