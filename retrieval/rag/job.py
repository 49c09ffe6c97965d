"""A batch of documents on its way into an index."""

import logging
from dataclasses import dataclass, field
from uuid import uuid4

from retrieval.clock import Clock
from retrieval.errors import EmbedderUnavailableError
from retrieval.rag.contract import IngestionResult, RuleDocument
from retrieval.types import Chunk

_log = logging.getLogger(__name__)


@dataclass(slots=True)
class Job:
    """What becomes of one batch."""

    live: dict[str, tuple[Chunk, ...]]
    """Chunks by the id of their document, as readers get them."""
    originals: dict[str, RuleDocument]
    """Those documents as they came in."""
    kept: frozenset[str] = frozenset()
    """Ids of those that are kept beside the index."""
    is_damaged: bool = False
    """Whether something of the index that is no chunk has to be made again."""
    clock: Clock = field(default_factory=Clock)
    new: dict[str, tuple[Chunk, ...]] = field(default_factory=dict)
    again: set[str] = field(default_factory=set)
    """Which of the new are documents of an index that cannot be read, as they were."""
    removed: set[str] = field(default_factory=set)
    processed: int = 0
    embedded: int = 0
    embedder_error: EmbedderUnavailableError | None = None
    """Why the embedder makes no vector for any text."""
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
