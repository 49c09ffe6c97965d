"""The live index of a service: opened once, and reopened after a promotion; turns of writers."""

import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

from retrieval.deadline import Result
from retrieval.errors import VectorDBUnavailableError, VectorDBWriteError
from retrieval.files.locks import HomeBusyError, HomeUnwritableError, write_lock_when_free
from retrieval.home import Home
from retrieval.index.embedding.embedders import load_embedder
from retrieval.index.snapshot.live import live_id
from retrieval.index.snapshot.snapshot import open_snapshot
from retrieval.rag.rag_context import ContextSource
from retrieval.search.retriever import Retriever
from retrieval.types import Embedder


class LiveIndex:
    """Reads the live snapshot of a home, even after another one goes live. Any number of threads may share one.

    Args:
        embedder: embeds the questions; None: the one that the snapshot was built with.
        strategy: how to search; None: the strategy of the home's settings.

    Raises:
        UnknownNameError: there is no such strategy.
        UnreadableSettingsError: the settings name a strategy that does not exist.
    """

    def __init__(self, home: Home, embedder: Embedder | None = None, strategy: str | None = None) -> None:
        self.home = home
        self.strategy = home.strategy(strategy)
        self._embedder = embedder
        self._opening = threading.Lock()
        self._reader: ContextSource | None = None
        self._made: dict[Callable[[ContextSource], Any], Any] = {}

    def ask(self, question: Callable[[ContextSource], Result]) -> Result:
        """Return the result of a function of the live snapshot, read from one snapshot only.

        Raises:
            VectorDBUnavailableError: no index is live, or it cannot be read.
        """
        while True:
            reader = self.reader()
            try:
                return question(reader)
            except (VectorDBUnavailableError, OSError):
                # A snapshot that is no longer live may be removed while it is read: then the live one answers.
                if live_id(self.home.root) == reader.retriever.snapshot.id:
                    raise

    def reader(self) -> ContextSource:
        """Return the reader of the snapshot that is live now; it stays open until another snapshot is live.

        Raises:
            NothingLiveError: no index is live.
            IndexCorruptError: it is damaged, or another version wrote it.
        """
        live = live_id(self.home.root)
        with self._opening:
            if self._reader is None or self._reader.retriever.snapshot.id != live:
                snapshot = open_snapshot(self.home.root)
                embedder = self._embedder or load_embedder(snapshot.manifest.embedder.name)
                self._reader = ContextSource.of(Retriever(snapshot, embedder), self.strategy)
                self._made = {}
            return self._reader

    def made_of(self, reader: ContextSource, make: Callable[[ContextSource], Result]) -> Result:
        """Return an object built from a reader. It is built once, shared by all callers, and dropped with the
        reader.

        Args:
            reader: the reader that `ask` passes; if it is no longer live, the object is built for this caller only.
            make: builds the object. It must be fast: slow work should be done when first needed.
        """
        with self._opening:
            if reader is not self._reader:
                return make(reader)
            if make not in self._made:
                self._made[make] = make(reader)
            made: Result = self._made[make]
            return made

    def close(self) -> None:
        """Close the index, and connections to a server with its collections; a later question reopens it."""
        with self._opening:
            if self._reader is not None:
                self._reader.retriever.snapshot.close()
            self._reader, self._made = None, {}


PATIENCE = 60.0
"""Seconds that an ingestion waits for its turn."""
_LOOK_AGAIN = 0.05


@contextmanager
def writers_turn(root: Path, patience: float = PATIENCE) -> Iterator[None]:
    """Lock the home at `root` for one writer; create the home if it is missing.

    Raises:
        VectorDBWriteError: another writer holds the lock for longer than `patience`, or the home cannot be written.
    """
    with ExitStack() as stack:
        try:
            stack.enter_context(write_lock_when_free(root, patience=patience, pause=_LOOK_AGAIN))
        except HomeBusyError as error:
            raise VectorDBWriteError(
                f"another process has been writing in {root} for {patience:g} seconds; try again when it is done"
            ) from error
        except HomeUnwritableError as error:
            raise VectorDBWriteError(f"the home {root} cannot be written ({error.reason}); make it writable") from error
        yield
