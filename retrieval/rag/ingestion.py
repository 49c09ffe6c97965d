"""Ingestion of documents into a new live index, one job per batch; the original documents are kept."""

import logging
import time
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from uuid import UUID, uuid4

from retrieval.clock import Clock
from retrieval.errors import (
    EmbedderUnavailableError,
    IndexCorruptError,
    InvalidDocumentError,
    RetrievalError,
    VectorDBUnavailableError,
    VectorDBWriteError,
)
from retrieval.files.records import read_jsonl, write_jsonl
from retrieval.home import Home
from retrieval.index.embedding.embedders import Cost, cuts_for, price_of
from retrieval.index.embedding.embedding_store import EmbeddingStore, embedding_text
from retrieval.index.snapshot.folders import remove_snapshots
from retrieval.index.snapshot.live import POINTER, is_live, live_id, promote, snapshot_folder, standing_id, were_live
from retrieval.index.snapshot.snapshot import Snapshot, build_snapshot, is_as_built, open_snapshot
from retrieval.ingest.prose_chunking import Cuts
from retrieval.rag.contract import DOCUMENT_HASH, DOCUMENT_ID, IngestionResult, Prepared, RuleDocument, prepare
from retrieval.rag.live import writers_turn
from retrieval.rag.relevance import calibration_of, keep_calibration
from retrieval.types import Chunk, Embedder

_log = logging.getLogger(__name__)


@dataclass(slots=True)
class Job:
    """The state of one ingestion batch: the documents before, added and removed, and its errors."""

    live: dict[str, tuple[Chunk, ...]]
    """Chunks of the live index by document id."""
    originals: dict[str, RuleDocument]
    """Documents as they were given, by id: those of the index, and then those of the batch."""
    kept: frozenset[str] = frozenset()
    """Ids of the documents that are stored next to the index."""
    is_damaged: bool = False
    """Whether a part of the index other than its chunks must be rebuilt."""
    clock: Clock = field(default_factory=Clock)
    new: dict[str, tuple[Chunk, ...]] = field(default_factory=dict)
    again: set[str] = field(default_factory=set)
    """Ids of the documents in `new` that were in an index that cannot be read, and did not change."""
    removed: set[str] = field(default_factory=set)
    processed: int = 0
    embedded: int = 0
    embedder_error: EmbedderUnavailableError | None = None
    """Why the embedder cannot embed any text."""
    errors: list[str] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)

    @property
    def lost(self) -> list[RuleDocument]:
        """Documents of an index that cannot be read."""
        return [original for name, original in self.originals.items() if name not in self.live]

    @property
    def documents(self) -> dict[str, tuple[Chunk, ...]]:
        """Chunks of the new index by document id."""
        return {name: chunks for name, chunks in (self.live | self.new).items() if name not in self.removed}

    @property
    def chunks(self) -> list[Chunk]:
        """Chunks of the new index."""
        return [chunk for chunks in self.documents.values() for chunk in chunks]

    def warn(self, filename: str, sentence: str) -> None:
        """Log and record a warning about a document."""
        _log.warning("%s: %s", filename, sentence)
        self.warnings.append(f"{filename}: {sentence}")

    def result(self) -> IngestionResult:
        """Return the result of the batch."""
        return IngestionResult(
            uuid4(),
            self.processed,
            len(self.errors),
            self.embedded,
            self.errors,
            self.warnings,
            self.clock.seconds,
        )


DOCUMENTS_FILE = "documents.jsonl"
"""In a snapshot's folder, where it is not part of the hash that is the snapshot's id; in the home folder while an index
is made again."""


def keep_originals(folder: Path, documents: Iterable[RuleDocument]) -> None:
    """Write documents to the folder of a snapshot or a home, in the order of their ids."""
    ordered = sorted(documents, key=lambda document: str(document.document_id))
    write_jsonl(folder / DOCUMENTS_FILE, ordered)


def read_originals(folder: Path) -> dict[str, RuleDocument]:
    """Return the documents in the folder of a snapshot or a home, by id; empty if none can be read."""
    try:
        documents: tuple[RuleDocument, ...] = read_jsonl(folder / DOCUMENTS_FILE, RuleDocument)
        return {str(document.document_id): document for document in documents}
    except (OSError, IndexCorruptError):
        return {}


def _originals_to_begin_from(home: Path, beside: dict[str, RuleDocument]) -> tuple[str, dict[str, RuleDocument]]:
    """Return the documents from which to rebuild an unreadable index, and a description of them; `beside` is what is
    stored beside that index."""
    if originals := read_originals(home) | beside:
        return "its documents", originals
    for snapshot in were_live(home):
        if originals := read_originals(snapshot_folder(home, snapshot)):
            return f"the documents of {snapshot}, which was live before; ingest again what came after it", originals
    return "nothing", {}


def lacking(snapshot: Snapshot) -> Iterator[str]:
    """Yield a sentence if documents of a snapshot are not stored beside it; nothing if it was built from a library."""
    if DOCUMENT_HASH not in snapshot.chunks[0].metadata:
        return
    missing = {chunk.book for chunk in snapshot.chunks} - read_originals(snapshot.folder).keys()
    if missing:
        first = f"ingest them again; the first is {min(missing)}"
        yield f"{DOCUMENTS_FILE} lacks {len(missing)} documents of the index; {first}"


@dataclass(frozen=True, slots=True)
class ReadDocument:
    """The result of reading one document."""

    given: RuleDocument
    ready: Prepared | None = None
    """None: it was rejected before it was read."""
    is_there: bool = False
    """Whether the index already has it unchanged; then it is not cut."""
    chunks: tuple[Chunk, ...] = ()
    warnings: tuple[str, ...] = ()
    """Warnings about ambiguous or unreadable markdown."""
    error: Exception | None = None
    """Why it cannot be ingested."""


def read_document(given: RuleDocument, home: Home, cuts: Cuts, is_there: Callable[[Prepared], bool]) -> ReadDocument:
    """Check a document and cut it. Nothing is raised: even if it breaks the parser, the rest of its batch continues.

    Args:
        home: the home, for its settings and its vocabulary.
        cuts: where prose is cut.
        is_there: whether the index already has it unchanged.
    """
    ready = None
    try:
        if not isinstance(given, RuleDocument):
            raise InvalidDocumentError(f"a {type(given).__name__} is not a RuleDocument")
        ready = prepare(given, f"{home.settings.chunking} {cuts.cap}")
        if is_there(ready):
            return ReadDocument(given, ready, is_there=True)
        chunks, warnings = ready.cut(home.vocabulary, cuts)
    except Exception as error:
        return ReadDocument(given, ready, error=error)
    return ReadDocument(given, ready, chunks=chunks, warnings=warnings)


PAUSES = (0.5, 1.0, 2.0)
"""Seconds before each retry after an embedder has failed."""


class Ingestion:
    """Writes the index of one home.

    Args:
        sleep: waits for a number of seconds.
    """

    def __init__(self, home: Home, embedder: Embedder, sleep: Callable[[float], None] = time.sleep) -> None:
        self._home, self._embedder, self._sleep = home, embedder, sleep
        self._cuts = cuts_for(home.settings, embedder)

    def ingest(self, documents: Sequence[RuleDocument]) -> IngestionResult:
        """Ingest documents; see `RAGPipeline.ingest` for when searches see them, and the errors raised."""
        with writers_turn(self._home.root):
            job, store = self._begun()
            lost, batch = self._read(job, job.lost), self._read(job, documents)
            self._take_lost(job, store, lost, batch)
            job.processed += sum([self._takes(job, store, document) for document in batch])
            if job.new or job.is_damaged:
                self._write(job, store)
            elif job.originals.keys() - job.kept:
                keep_originals(snapshot_folder(self._home.root, str(live_id(self._home.root))), job.originals.values())
            return job.result()

    def remove(self, document_ids: Iterable[UUID]) -> IngestionResult:
        """Remove documents; see `RAGPipeline.remove` for the errors raised."""
        with writers_turn(self._home.root):
            job, store = self._begun()
            names = dict.fromkeys(map(str, document_ids))
            self._take_lost(job, store, self._read(job, job.lost), leaving=names)
            for name in names:
                if name in job.documents:
                    job.removed.add(name)
                else:
                    job.warn(name, "no document of the index has this id")
            if job.removed and not job.chunks:
                raise VectorDBWriteError(
                    "no document would be left, but an index cannot be empty; delete the home instead"
                )
            if job.removed or job.new or job.is_damaged:
                self._write(job, store)
            job.processed = len(job.removed)
            return job.result()

    def _store(self) -> EmbeddingStore:
        settings = self._home.settings.embedding
        if settings.dimensions is not None:
            settings.check(self._embedder.identity)
        return EmbeddingStore(self._home.embeddings, self._embedder.identity)

    def _begun(self) -> tuple[Job, EmbeddingStore]:
        """Return a new job without documents of the batch, and the store of its vectors."""
        store, standing = self._store(), standing_id(self._home.root)
        originals = read_originals(snapshot_folder(self._home.root, standing)) if standing else {}
        try:
            job = Job(self._chunks_of(standing) if standing else {}, originals, frozenset(originals))
        except VectorDBUnavailableError as error:
            of, originals = _originals_to_begin_from(self._home.root, originals)
            if not originals:
                raise
            job = Job({}, originals, frozenset(originals))
            job.warn(str(standing), f"the index cannot be read, and is rebuilt from {of} ({error})")
            return job, store
        if standing is not None and not is_live(self._home.root, standing):
            job.warn(POINTER, f"was missing or damaged; {standing}, the last live snapshot, is live again")
            promote(self._home.root, standing, "ingest")
        job.is_damaged = standing is not None and self._is_damaged(standing)
        return job, store

    def _is_damaged(self, standing: str) -> bool:
        """Whether the files that are stored next to the chunks of an index must be rebuilt."""
        try:
            calibration_of(snapshot_folder(self._home.root, standing), self._embedder.identity.name)
        except IndexCorruptError:
            return True
        return not is_as_built(self._home.root, standing)

    def _read(self, job: Job, documents: Iterable[RuleDocument]) -> list[ReadDocument]:
        def is_there(ready: Prepared) -> bool:
            known = job.live.get(ready.document.book, ())
            return bool(known) and known[0].metadata[DOCUMENT_HASH] == ready.hash

        return [read_document(document, self._home, self._cuts, is_there) for document in documents]

    def _take_lost(
        self,
        job: Job,
        store: EmbeddingStore,
        lost: Sequence[ReadDocument],
        batch: Sequence[ReadDocument] = (),
        leaving: Collection[str] = (),
    ) -> None:
        """Add the documents of an index that cannot be read, if the budget covers everything that must be embedded.

        Raises:
            BudgetExceededError: the budget does not allow it; nothing was sent.
        """
        price, budget = price_of(store.identity), self._home.settings.budget_usd
        if price is not None and budget is not None:
            read = [chunk for document in (*lost, *batch) for chunk in document.chunks]
            gone = {chunk.book for chunk in read} | set(leaving)
            # If the embedder is not the same as before, unchanged documents are embedded again.
            kept = [chunk for name, chunks in job.live.items() if name not in gone for chunk in chunks]
            missing = store.missing([embedding_text(chunk) for chunk in (*kept, *read)])
            Cost.of(missing, price).require_within(budget)
        for document in lost:
            self._takes(job, store, document)
        job.again |= set(job.new)

    def _takes(self, job: Job, store: EmbeddingStore, document: ReadDocument) -> bool:
        """Add one document to the batch, and return whether that worked. Even if it breaks the embedder, the others
        continue."""
        try:
            self._take(job, store, document)
        except Exception as error:
            given, known = document.given, isinstance(error, RetrievalError)
            filename = str(getattr(given, "filename", given))
            _log.error("%s was not ingested", filename, exc_info=None if known else error)
            job.errors.append(filename)
            job.warn(filename, str(error) if known else f"cannot be read ({type(error).__name__}: {error})")
            return False
        return True

    def _chunks_of(self, standing: str) -> dict[str, tuple[Chunk, ...]]:
        """Return the chunks of an index by document."""
        chunks_by_book: dict[str, list[Chunk]] = {}
        with open_snapshot(self._home.root, standing) as snapshot:
            for chunk in snapshot.chunks:
                if DOCUMENT_ID not in chunk.metadata:
                    raise VectorDBWriteError(
                        f"the index in {self._home.root} was built from a library, and the next build would "
                        "rebuild it from there; put the documents into that library, or ingest them into a home "
                        "of their own"
                    )
                chunks_by_book.setdefault(chunk.book, []).append(chunk)
        return {
            name: tuple(sorted(chunks, key=lambda chunk: chunk.position)) for name, chunks in chunks_by_book.items()
        }

    def _take(self, job: Job, store: EmbeddingStore, document: ReadDocument) -> None:
        """Add one document to the batch once each of its texts has a vector."""
        given, ready = document.given, document.ready
        if ready is not None:
            name = ready.document.book
            if name in job.new and name not in job.again:
                job.warn(
                    given.filename, f"is the second document of this batch with the id {name}; it replaces the first"
                )
            for sentence in ready.warnings:
                job.warn(given.filename, sentence)
        if ready is None or document.error is not None:
            raise document.error or AssertionError(given)
        if document.is_there:
            job.new.pop(name, None)
            job.originals[name] = given
            return
        for sentence in document.warnings:
            job.warn(given.filename, sentence)
        job.embedded += self._embed(job, store, [embedding_text(chunk) for chunk in document.chunks])
        job.new[name], job.originals[name] = document.chunks, given
        job.again.discard(name)

    def _embed(self, job: Job, store: EmbeddingStore, texts: Sequence[str]) -> int:
        """Store a vector for each text that has none; return how many are new.

        If the embedder fails whatever the text, it is not called again for this batch: either it failed at once, or it
        has already tried its server several times.
        """
        missing = store.missing(texts)
        if missing and job.embedder_error is not None:
            raise job.embedder_error
        for pause in (*PAUSES, None):
            try:
                if missing:
                    store.add(missing, self._embedder.embed(missing))
                return len(missing)
            except EmbedderUnavailableError as error:
                if error.general:
                    job.embedder_error = error
                if pause is None or error.general or not error.passing:
                    raise
                self._sleep(pause)
            except OSError:
                if pause is None:
                    raise
                self._sleep(pause)
        raise AssertionError  # the last pause is None

    def _write(self, job: Job, store: EmbeddingStore) -> None:
        """Build the new index, and promote it if it is valid."""
        chunks, root = job.chunks, self._home.root
        texts = [embedding_text(chunk) for chunk in chunks]
        self._embed(job, store, texts)  # all of them, if the embedder is not the same as before
        manifest = None
        try:
            if job.again:  # the new snapshot may replace the folder that contains them
                keep_originals(root, job.originals.values())
            manifest = build_snapshot(root, chunks, store.get(texts), store.identity, self._home.vocabulary)
            open_snapshot(root, manifest.id).close()  # raises if the disk did not store what was written
            folder = snapshot_folder(root, manifest.id)
            keep_originals(folder, (job.originals[name] for name in job.documents if name in job.originals))
            keep_calibration(root, folder, store.identity.name)
            promote(root, manifest.id, "ingest")
        except VectorDBWriteError:
            raise
        except (RetrievalError, OSError) as error:
            if manifest is not None and is_live(root, manifest.id):
                _log.warning("the new index is live, but its history could not be written: %s", error)
                return
            raise VectorDBWriteError(
                f"the new index in {root} could not be written ({error}); the live index has not changed; make "
                "room or fix the cause, and ingest again"
            ) from error
        self._clean_up(manifest.id)

    def _clean_up(self, live: str) -> None:
        """Remove what the new live index makes superfluous. A failure costs space: the documents are in the index."""
        try:
            (self._home.root / DOCUMENTS_FILE).unlink(missing_ok=True)
            self._home.nominate(live)
            remove_snapshots(self._home.root, live)
        except (RetrievalError, OSError) as error:
            _log.warning("the new index is live, but what it replaces could not be removed: %s", error)
