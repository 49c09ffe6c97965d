"""Documents in, a new index live: the live one, less what the documents were, and with what they are."""

import logging
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from uuid import UUID, uuid4

from retrieval.clock import Clock
from retrieval.errors import (
    EmbedderUnavailableError,
    InvalidDocumentError,
    RetrievalError,
    VectorDBUnavailableError,
    VectorDBWriteError,
)
from retrieval.home import Home
from retrieval.index.embedding.embedding_store import EmbeddingStore
from retrieval.index.embedding.embedding_text import embedding_text
from retrieval.index.embedding.token_counts import cuts_for
from retrieval.index.snapshot.live import live_id, promote, snapshot_folder
from retrieval.index.snapshot.retention import remove_snapshots
from retrieval.index.snapshot.snapshot import build_snapshot, open_snapshot
from retrieval.index.snapshot.verification import verify_snapshot
from retrieval.rag.calibration import keep_calibration
from retrieval.rag.contract import IngestionResult, RuleDocument
from retrieval.rag.documents import DOCUMENT_HASH, DOCUMENT_ID, Prepared, prepare
from retrieval.rag.originals import keep_originals, read_originals
from retrieval.rag.turn import writers_turn
from retrieval.types import Chunk, Embedder

PAUSES = (0.5, 1.0, 2.0)
"""Seconds before each time that an embedder which failed is asked again."""

_log = logging.getLogger(__name__)


@dataclass(slots=True)
class _Job:
    """What becomes of one batch."""

    live: dict[str, tuple[Chunk, ...]]
    """Chunks by the id of their document, as readers get them."""
    originals: dict[str, RuleDocument]
    """Those documents as they came in."""
    clock: Clock = field(default_factory=Clock)
    new: dict[str, tuple[Chunk, ...]] = field(default_factory=dict)
    again: set[str] = field(default_factory=set)
    """Which of the new are documents of an index that cannot be read, as they were."""
    removed: set[str] = field(default_factory=set)
    processed: int = 0
    embedded: int = 0
    errors: list[str] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)

    @property
    def lost(self) -> list[RuleDocument]:
        """Documents of an index that cannot be read."""
        return [each for name, each in self.originals.items() if name not in self.live]

    @property
    def documents(self) -> dict[str, tuple[Chunk, ...]]:
        """Those of the index as it will be."""
        return {name: chunks for name, chunks in (self.live | self.new).items() if name not in self.removed}

    @property
    def chunks(self) -> list[Chunk]:
        """Those of the documents."""
        return [chunk for chunks in self.documents.values() for chunk in chunks]

    def warn(self, filename: str, sentence: str) -> None:
        """Say something strange of a document."""
        _log.warning("%s: %s", filename, sentence)
        self.warnings.append(f"{filename}: {sentence}")

    def result(self) -> IngestionResult:
        """What the caller gets."""
        return IngestionResult(
            uuid4(),
            self.processed,
            len(self.errors),
            self.embedded,
            self.errors,
            self.warnings,
            self.clock.seconds,
        )


class Ingestion:
    """Writes one home's index.

    Args:
        home: the home.
        embedder: makes the vectors.
        sleep: waits so many seconds.
    """

    def __init__(self, home: Home, embedder: Embedder, sleep: Callable[[float], None] = time.sleep) -> None:
        self._home, self._embedder, self._sleep = home, embedder, sleep
        self._cuts = cuts_for(home.settings, embedder)

    def ingest(self, documents: Sequence[RuleDocument]) -> IngestionResult:
        """Bring documents in; `RAGPipeline.ingest` says what of them is seen when, and what it raises."""
        with writers_turn(self._home.root):
            job, store = self._begun()
            job.processed += sum([self._takes(job, store, document) for document in documents])
            if job.new:
                self._write(job, store)
            return job.result()

    def remove(self, document_ids: Iterable[UUID]) -> IngestionResult:
        """Take documents out; `RAGPipeline.remove` says what it raises."""
        with writers_turn(self._home.root):
            job, store = self._begun()
            for name in dict.fromkeys(map(str, document_ids)):
                if name in job.documents:
                    job.removed.add(name)
                else:
                    job.warn(name, "no document of the index has this id")
            if job.removed and not job.chunks:
                raise VectorDBWriteError("no document would be left, and no index is empty; delete the home instead")
            if job.removed or job.new:
                self._write(job, store)
            job.processed = len(job.removed)
            return job.result()

    def _store(self) -> EmbeddingStore:
        settings = self._home.settings.embedding
        if settings.dimensions is not None:
            settings.check(self._embedder.identity)
        return EmbeddingStore(self._home.embeddings, self._embedder.identity)

    def _begun(self) -> tuple[_Job, EmbeddingStore]:
        """A batch that takes in first what an index which cannot be read was made of."""
        store, live = self._store(), live_id(self._home.root)
        originals = read_originals(snapshot_folder(self._home.root, live)) if live else {}
        try:
            job = _Job(self._live() if live else {}, originals)
        except VectorDBUnavailableError as error:
            if not originals:
                raise
            job = _Job({}, originals)
            job.warn(str(live), f"the index cannot be read, and is made again from its documents ({error})")
        for document in job.lost:
            self._takes(job, store, document)
        job.again |= set(job.new)
        return job, store

    def _takes(self, job: _Job, store: EmbeddingStore, document: RuleDocument) -> bool:
        """Take one document into the batch. Whatever it does to the parser or the embedder, the others go on."""
        try:
            self._take(job, store, document)
        except Exception as error:
            filename, known = str(getattr(document, "filename", document)), isinstance(error, RetrievalError)
            _log.error("%s is not ingested", filename, exc_info=None if known else error)
            job.errors.append(filename)
            job.warn(filename, str(error) if known else f"cannot be read ({type(error).__name__}: {error})")
            return False
        return True

    def _live(self) -> dict[str, tuple[Chunk, ...]]:
        """Chunks of the live index by document."""
        found: dict[str, list[Chunk]] = {}
        with open_snapshot(self._home.root) as snapshot:
            for chunk in snapshot.chunks:
                if DOCUMENT_ID not in chunk.metadata:
                    raise VectorDBWriteError(
                        f"the index in {self._home.root} was built from a library, which the next build would make "
                        "it again; put the documents into that library, or ingest them into a home of their own"
                    )
                found.setdefault(chunk.book, []).append(chunk)
        return {name: tuple(sorted(chunks, key=lambda chunk: chunk.position)) for name, chunks in found.items()}

    def _take(self, job: _Job, store: EmbeddingStore, given: RuleDocument) -> None:
        """Prepare one document and see that every text of it has a vector; nothing of it is kept before."""
        if not isinstance(given, RuleDocument):
            raise InvalidDocumentError(f"a {type(given).__name__} is not a RuleDocument")
        ready = prepare(given, f"{self._home.settings.chunking} {self._cuts.cap}")
        name = ready.document.book
        if name in job.new and name not in job.again:
            job.warn(given.filename, f"is the second of this batch with the id {name}; it replaces the first")
        for sentence in ready.warnings:
            job.warn(given.filename, sentence)
        if self._is_there(job, ready):
            job.new.pop(name, None)
            job.originals[name] = given
            return
        chunks, warnings = ready.cut(self._home.vocabulary, self._cuts)
        for sentence in warnings:
            job.warn(given.filename, sentence)
        job.embedded += self._embed(store, [embedding_text(chunk) for chunk in chunks])
        job.new[name], job.originals[name] = chunks, given
        job.again.discard(name)

    def _is_there(self, job: _Job, ready: Prepared) -> bool:
        known = job.live.get(ready.document.book, ())
        return bool(known) and known[0].metadata[DOCUMENT_HASH] == ready.hash

    def _embed(self, store: EmbeddingStore, texts: Sequence[str]) -> int:
        """Keep a vector for each text that has none; returns how many were made."""
        missing = store.missing(texts)
        for pause in (*PAUSES, None):
            try:
                if missing:
                    store.add(missing, self._embedder.embed(missing))
                return len(missing)
            except (EmbedderUnavailableError, OSError):
                if pause is None:
                    raise
                self._sleep(pause)
        raise AssertionError  # the last pause is None

    def _write(self, job: _Job, store: EmbeddingStore) -> None:
        """Make the index anew and let it go live, if it is sound."""
        chunks, root = job.chunks, self._home.root
        texts = [embedding_text(chunk) for chunk in chunks]
        self._embed(store, texts)  # of another embedder than before, all of them
        try:
            manifest = build_snapshot(root, chunks, store.get(texts), store.identity, self._home.vocabulary)
            with open_snapshot(root, manifest.id) as snapshot:
                faults = verify_snapshot(snapshot)
            if faults:
                raise VectorDBWriteError(f"the new index is not sound: {'; '.join(map(str, faults))}")
            keep_originals(snapshot.folder, (job.originals[name] for name in job.documents if name in job.originals))
            keep_calibration(root, snapshot.folder, store.identity.name)
            promote(root, manifest.id, "ingest")
            self._home.nominate(manifest.id)
            remove_snapshots(root, manifest.id)
        except VectorDBWriteError:
            raise
        except (RetrievalError, OSError) as error:
            raise VectorDBWriteError(
                f"the new index in {root} could not be written ({error}); what was live stays live"
            ) from error
