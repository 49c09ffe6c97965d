"""The index that is live when a question comes: opened once, and again when another is live."""

import threading
from collections.abc import Callable
from typing import Any, TypeVar

from retrieval.errors import VectorDBUnavailableError
from retrieval.home import Home
from retrieval.index.embedding.embedders import load_embedder
from retrieval.index.snapshot.live import live_id
from retrieval.index.snapshot.snapshot import open_snapshot
from retrieval.rag.answering import Reader
from retrieval.rag.calibration import calibration_of
from retrieval.search.retriever import Retriever
from retrieval.types import Embedder

Result = TypeVar("Result")


class LiveIndex:
    """Reads whichever snapshot of a home is live. Any number of threads may share one.

    Args:
        home: whose.
        embedder: makes the vectors of questions; None: the one that the snapshot names.
        strategy: how to search; None: as the home's settings say.

    Raises:
        UnknownNameError: there is no such strategy.
        UnreadableSettingsError: the settings name one that there is not.
    """

    def __init__(self, home: Home, embedder: Embedder | None = None, strategy: str | None = None) -> None:
        self.home = home
        self.strategy = home.strategy(strategy)
        self._embedder = embedder
        self._opening = threading.Lock()
        self._reader: Reader | None = None
        self._made: dict[Callable[[Reader], Any], Any] = {}

    def ask(self, question: Callable[[Reader], Result]) -> Result:
        """What a question to the live snapshot gives, wholly from one snapshot.

        Raises:
            VectorDBUnavailableError: nothing is live, or it cannot be read.
        """
        while True:
            reader = self.reader()
            try:
                return question(reader)
            except (VectorDBUnavailableError, OSError):
                # One that is live no more may be removed while it is being read: then the one that is live answers.
                if live_id(self.home.root) == reader.retriever.snapshot.id:
                    raise

    def reader(self) -> Reader:
        """What reads the snapshot that is live now; one that is open stays open until another is live.

        Raises:
            NothingLiveError: nothing is live.
            IndexCorruptError: it is damaged, or of another version.
        """
        live = live_id(self.home.root)
        with self._opening:
            if self._reader is None or self._reader.retriever.snapshot.id != live:
                snapshot = open_snapshot(self.home.root)
                identity = snapshot.manifest.embedder
                embedder = self._embedder or load_embedder(identity.name)
                calibration = calibration_of(snapshot.folder, identity.name)
                self._reader = Reader(Retriever(snapshot, embedder), calibration, self.strategy)
                self._made = {}
            return self._reader

    def made_of(self, reader: Reader, make: Callable[[Reader], Result]) -> Result:
        """What is made of a reader, once for all who ask with it, and let go of with it.

        Args:
            reader: that `ask` gives; of one that is live no more it is made anew.
            make: quickly; what takes long it should do where that is first asked for.
        """
        with self._opening:
            if reader is not self._reader:
                return make(reader)
            if make not in self._made:
                self._made[make] = make(reader)
            made: Result = self._made[make]
            return made

    def close(self) -> None:
        """Let go of the index, and of the sockets where its collections are on a server; a later question opens it."""
        with self._opening:
            if self._reader is not None:
                self._reader.retriever.snapshot.close()
            self._reader, self._made = None, {}
