"""What the server does, without HTTP: searches, answers, explanations, documents, feedback, status."""

from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

from retrieval.answer.answerer import Answerer, How
from retrieval.answer.json_record import event_record
from retrieval.errors import RetrievalError, UnknownNameError
from retrieval.home import Home
from retrieval.index.snapshot.live import live_id
from retrieval.kept import Kept
from retrieval.rag.answering import Reader
from retrieval.rag.contract import IngestionResult, RuleDocument
from retrieval.rag.deadline import Deadline
from retrieval.rag.live import LiveIndex
from retrieval.rag.pipeline import RAGPipeline
from retrieval.rag.relevance import search
from retrieval.search.explanation import explain
from retrieval.search.json_record import retrieval_record
from retrieval.search.metadata_filter.text import read_filter
from retrieval.search.strategies import STRATEGIES, VARIANTS
from retrieval.search.strategies import strategy as strategy_named
from retrieval.serve.about import ABOUT
from retrieval.serve.errors import without_home
from retrieval.serve.feedback import FeedbackFile, Verdict
from retrieval.serve.finders import Finders, Reads
from retrieval.serve.kept_out import KeptOut
from retrieval.serve.query_log import QueryLog
from retrieval.serve.sections import section_text
from retrieval.strategy import Strategy
from retrieval.types import Embedder

_Asked = tuple[str | None, How, str | None, str]
"""Snapshot, who words the answer, conversation and question."""


class Service:
    """One home, served. Any number of threads may share one; whichever snapshot is live is the one that answers.

    Args:
        home: the home folder.
        seconds: until a search is given up.
        embedder: makes vectors; None: what the home and the index name.
        strategy: how to search where a question does not say; None: as the home's settings say.
        environment: has the key of a chat model.
        keep_questions: whether the home keeps what is asked.

    Raises:
        UnreadableSettingsError: the settings cannot be read, or a value cannot be used.
        UnknownNameError: there is no such strategy.
    """

    def __init__(
        self,
        home: Path,
        *,
        seconds: float,
        embedder: Embedder | None = None,
        strategy: str | None = None,
        environment: Mapping[str, str],
        keep_questions: bool = False,
    ) -> None:
        self.home = Home.at(home)
        self._live = LiveIndex(self.home, embedder, strategy)
        self._deadline = Deadline(seconds)
        self._finders = Finders(self._live, environment)
        hows: tuple[How, ...] = ("auto", "read", "generate")
        self._answerers = {
            how: Answerer(home, how=how, live=self._live, environment=environment, deadline=self._deadline)
            for how in hows
        }
        self._answers: Kept[_Asked, tuple[dict[str, Any], ...]] = Kept(self.home.settings.retrieval.cache_ttl_seconds)
        self._contract = RAGPipeline(home, embedder=embedder, strategy=strategy)
        self._feedback = FeedbackFile(self.home.root)
        self._log = QueryLog(self.home.root, is_on=keep_questions)

    def retrieve(
        self, query: str, k: int, strategy: str | None, where: Sequence[str], least: float | None, *, filtered: bool
    ) -> dict[str, Any]:
        """A search and its receipt.

        Args:
            query: 1 to 2,000 characters.
            k: how many hits at most.
            strategy: its name; None: the server's own.
            where: conditions on metadata that all must hold, as `--where` reads them.
            least: relevance that every hit must have, 0 to 1; None: any.
            filtered: whether query_must keeps anything out.

        Raises:
            RetrievalError: as `Retriever.retrieve` says, or it took too long.
        """
        name = strategy or self._live.strategy
        found = self._deadline.run(
            lambda: self._live.ask(lambda reader: _searched(reader, query, k, name, where, least, filtered=filtered))
        )
        self._log.add(found["snapshot"], query, found["receipt"]["excluded"])
        return found

    def ask(self, query: str, top_k: int, where: Sequence[str], how: Reads) -> dict[str, Any]:
        """The documents of a question, and how it was read.

        Args:
            query: 1 to 2,000 characters.
            top_k: how many documents at most.
            where: conditions on metadata that all must hold, as `--where` reads them.
            how: who reads the question.

        Raises:
            RetrievalError: as `Finders.find` says, or it took too long.
        """
        record = self._deadline.run(lambda: self._finders.find(query, top_k, where, how))
        self._log.add(record["snapshot"], query)
        return record

    async def answer(self, query: str, how: How, context_key: str | None = None) -> AsyncIterator[dict[str, Any]]:
        """The events of an answer as JSON values, without the path of the home.

        Args:
            query: 1 to 2,000 characters.
            how: who words it.
            context_key: CHANNEL:USER. The same question of the same conversation gets the same events until
                `retrieval.cache_ttl_seconds` are over or another index is live; None: it is no conversation's.
        """
        key = (self._live_id(), how, context_key, query)
        self._log.add(key[0] or "", query)
        kept = self._answers.get(key) if context_key is not None else None
        if kept is not None:
            for record in kept:
                yield record
            return
        told = []
        async for event in self._answerers[how].answer_async(query):
            record = event_record(event)
            told.append(record | {"data": without_home(record["data"], self.home.root)})
            yield told[-1]
        if context_key is not None and told[-1].get("answer", {}).get("snapshot") == key[0]:
            self._answers.keep(key, tuple(told))

    def _live_id(self) -> str | None:
        try:
            return live_id(self.home.root)
        except RetrievalError:
            return None  # the answer tells what is wrong

    def explain(self, query: str, chunk_id: str, strategy: str | None) -> dict[str, Any]:
        """Why a chunk is in or out for a question; the id may be the beginning of one.

        Raises:
            RetrievalError: as `explain` says.
        """
        name = strategy or self._live.strategy
        return self._deadline.run(lambda: self._live.ask(lambda reader: _explained(reader, query, chunk_id, name)))

    def section(self, chunk_id: str) -> str:
        """What stands under the headings of a chunk; the id may be the beginning of one.

        Raises:
            RetrievalError: as `explain` says.
        """

        def read(reader: Reader) -> str:
            snapshot = reader.retriever.snapshot
            position = int(snapshot.chunks.positions([snapshot.chunks.find(chunk_id)])[0])
            return section_text(snapshot, snapshot.chunks[position])

        return self._deadline.run(lambda: self._live.ask(read))

    def ingest(self, documents: Sequence[RuleDocument]) -> IngestionResult:
        """Bring documents in; `RAGPipeline.ingest` says what it raises."""
        return self._contract.ingest(documents)

    def feedback(self, query: str, chunk_id: str, verdict: Verdict, note: str) -> None:
        """Keep what a person says of a hit.

        Raises:
            UnknownNameError: the live index has no such chunk.
        """

        def keep(reader: Reader) -> None:
            snapshot = reader.retriever.snapshot
            snapshot.chunks.positions([chunk_id])
            self._feedback.add(snapshot.id, query, chunk_id, verdict, note)

        self._live.ask(keep)

    def status(self) -> dict[str, Any]:
        """What is live: snapshot, chunks, tables, books, embedder; who words answers, and the strategies."""
        model = self._answerers["auto"].model
        told: dict[str, Any] = {
            "live": None,
            "model": model.model if model else None,
            "strategies": sorted(STRATEGIES),
            "strategy": self._live.strategy,
            "about": dict(ABOUT),
            "unfiltered": sorted(name for name, each in STRATEGIES.items() if each.query_must == "off"),
        }
        if live_id(self.home.root) is None:
            return told
        snapshot = self._live.reader().retriever.snapshot
        manifest, books = snapshot.manifest, snapshot.metadata.columns.get("book")
        return told | {
            "books": list(books.texts) if books else [],
            "live": manifest.id,
            "n_chunks": manifest.n_chunks,
            "n_tables": manifest.n_tables,
            "embedder": asdict(manifest.embedder),
        }

    def is_ready(self) -> bool:
        """Whether a question could be answered now."""
        try:
            self._live.reader()
        except (RetrievalError, OSError):
            return False
        return True

    def close(self) -> None:
        """Let go of the index."""
        self._live.close()
        self._contract.close()


def _searched(
    reader: Reader, query: str, k: int, strategy: str, where: Sequence[str], least: float | None, *, filtered: bool
) -> dict[str, Any]:
    retriever = reader.retriever
    named = _allowed(strategy)
    chosen = named if filtered else replace(named, query_must="off")
    wanted = read_filter(*where) if where else None
    found, reason = search(retriever, query, k, chosen, where=wanted, least=least, debug=True)
    record = retrieval_record(found, retriever.snapshot.chunks.short_id, retriever.snapshot.id, reason)
    return record if filtered else KeptOut.of(retriever, query, found.hits, named).told_in(record)


def _allowed(name: str) -> Strategy:
    """The strategy of that name. A client may have hits ordered by a model, but not by one that it names itself."""
    named = strategy_named(name)
    if named.order is not None and named.name not in VARIANTS:
        raise UnknownNameError("strategy", name, STRATEGIES)
    return named


def _explained(reader: Reader, query: str, chunk_id: str, strategy: str) -> dict[str, Any]:
    snapshot = reader.retriever.snapshot
    found = explain(reader.retriever, query, snapshot.chunks.find(chunk_id), strategy)
    record = asdict(found) | {"lines": list(found.lines()), "snapshot": snapshot.id}
    record["chunk"] = {"id": found.chunk.id, "title": found.chunk.title}
    return record
