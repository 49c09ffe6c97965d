"""The service behind the server, without HTTP: search, answers, explanations, documents, status."""

import asyncio
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, replace
from itertools import islice
from pathlib import Path
from types import MappingProxyType
from typing import Any, Literal

from retrieval.deadline import Deadline, Result
from retrieval.errors import RetrievalError, RetrievalTimeoutError, UnknownNameError
from retrieval.files.cache import TimedCache
from retrieval.home import Home
from retrieval.index.snapshot.live import live_id
from retrieval.index.snapshot.snapshot import Snapshot
from retrieval.query_must.refusal import refusal
from retrieval.rag.answerer import Answerer, How, event_record
from retrieval.rag.contract import IngestionResult, RuleDocument
from retrieval.rag.finder import Finder, finding_record
from retrieval.rag.live import LiveIndex
from retrieval.rag.passages import AnswerEvent
from retrieval.rag.pipeline import RAGPipeline
from retrieval.rag.question_words import PassageWords, QuestionWords
from retrieval.rag.rag_context import ContextSource
from retrieval.rag.relevance import search
from retrieval.search.explanation import explain
from retrieval.search.json_record import retrieval_record
from retrieval.search.metadata_filter import filter_of, why_empty
from retrieval.search.query import Query
from retrieval.search.retriever import Retriever
from retrieval.search.strategies import STRATEGIES, VARIANTS
from retrieval.search.strategies import strategy as strategy_named
from retrieval.serve.browsing import (
    Block,
    DocumentEntry,
    Shelf,
    ShelfBook,
    WholeTable,
    read_table,
    table_size,
    table_title,
)
from retrieval.serve.errors import without_home
from retrieval.serve.logs import FeedbackFile, QueryLog, Verdict
from retrieval.serve.rendering import Renderer
from retrieval.serve.starters import MAX_EXAMPLES, MAX_HEADINGS, asking_headings, starters
from retrieval.strategy import Strategy
from retrieval.types import Chunk, Embedder, Hit

Reads = Literal["auto", "rules"]
"""What reads a question: the model of `understand` in the settings if there is a key, or rules."""


def kept_out(retriever: Retriever, question: str, hits: Sequence[Hit], strategy: Strategy) -> Mapping[str, str]:
    """Return why hits of a search without the filter would be excluded with it: a sentence for a person, by chunk
    id.

    Hits that would only rank lower are not included.

    Args:
        retriever: the retriever that found them.
        question: 1 to 2,000 characters.
        hits: hits of a search with the filter off.
        strategy: the strategy with its own filter; without a filter, nothing is excluded.
    """
    if strategy.query_must == "off":
        return {}
    snapshot = retriever.snapshot
    query = Query.of(question, snapshot).among(snapshot.rivals)
    may_come = retriever.admitted(query).mask(snapshot)[snapshot.chunks.positions([hit.chunk.id for hit in hits])]
    return {
        hit.chunk.id: refusal(query.text, query.canonical, hit.chunk.query_must, hit.chunk)
        for hit, may in zip(hits, may_come.tolist(), strict=True)
        if not may
    }


LONGEST = 20_000
"""The most characters of a section that are returned at once."""


def section_text(snapshot: Snapshot, chunk: Chunk) -> str:
    """Return the text under the headings of a chunk, in reading order, with the columns above the rows of each table;
    cut at `LONGEST` characters, with a note."""
    own = [
        passage
        for passage in snapshot.document_of(chunk)
        if passage.heading_path[: len(chunk.heading_path)] == chunk.heading_path
    ]
    pieces, under = [" > ".join((chunk.book, *chunk.heading_path)), ""], chunk.heading_path
    table: str | None = None
    for passage in own:
        if passage.heading_path != under:
            under = passage.heading_path
            pieces += ["", " > ".join(under)]
        if passage.table_id and passage.table_id != table:
            pieces += ["", *filter(None, [passage.caption]), f"| {' | '.join(passage.columns)} |"]
        table = passage.table_id
        pieces.append(passage.source)
    text = "\n".join(pieces)
    return text if len(text) <= LONGEST else f"{text[:LONGEST]}\n[cut at {LONGEST:,} characters]"


ABOUT: Mapping[str, str] = MappingProxyType(
    {
        "default": "Recommended: words, vectors and the names in a question, weighted together, with the filter.",
        "bm25": "The words of the question alone, without a filter.",
        "dense": "The nearest vectors alone, without a filter.",
        "hybrid": "Words and vectors, added with fixed weights, without a filter.",
        "hybrid_graph": "Like hybrid, with a boost for what is linked with the best hits, without a filter.",
        "prefilter": "The nearest vectors among the rows that the filter admits.",
        "iterative": "The nearest vectors, filtered, and searched again in rounds until enough rows are admitted.",
    }
)
"""A sentence for each of `STRATEGIES`, the default first."""


_Asked = tuple[str | None, How, str | None, str, tuple[str, ...]]
"""Snapshot, how the answer is worded, conversation and question."""


class Service:
    """Serves one home. Any number of threads may share one; the live snapshot answers.

    Args:
        seconds: seconds after which a search is cancelled.
        embedder: makes vectors; None: that of the home and the index.
        strategy: how to search if a request does not set it; None: the strategy of the home's settings.
        environment: the environment variables, which may contain the key of a chat model.
        keep_questions: whether to store questions in the home.

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
        self._environment = environment
        hows: tuple[How, ...] = ("auto", "read", "generate")
        self._answerers = {
            how: Answerer(home, how=how, live=self._live, environment=environment, deadline=self._deadline)
            for how in hows
        }
        self._answers: TimedCache[_Asked, tuple[dict[str, Any], ...]] = TimedCache(
            self.home.settings.retrieval.cache_ttl_seconds
        )
        self._examples: tuple[str, tuple[str, ...]] = ("", ())
        """The snapshot that they are from, and the questions."""
        self._contract = RAGPipeline(home, embedder=embedder, strategy=strategy)
        self._feedback = FeedbackFile(self.home.root)
        self._log = QueryLog(self.home.root, is_on=keep_questions)

    def retrieve(
        self,
        query: str,
        k: int,
        strategy: str | None,
        where: Sequence[str],
        least: float | None,
        *,
        filtered: bool,
        rendered: bool = False,
    ) -> dict[str, Any]:
        """Return the record of a search and its receipt.

        Args:
            query: 1 to 2,000 characters.
            strategy: the name of the strategy; None: that of the server.
            where: conditions on metadata that all must hold, as `--where` reads them.
            least: least relevance of each hit, 0 to 1; None: any.
            filtered: whether query_must may exclude chunks.
            rendered: whether to add HTML to hits.

        Raises:
            RetrievalError: as for `Retriever.retrieve`, or it took too long.
        """
        name = strategy or self._live.strategy
        record = self._read(
            lambda reader: _searched(reader, query, k, name, where, least, filtered=filtered, rendered=rendered)
        )
        self._log.add(record["snapshot"], query, record["receipt"]["excluded"])
        return record

    def ask(self, query: str, top_k: int, where: Sequence[str], how: Reads) -> dict[str, Any]:
        """Return the documents of a question, and how it was read.

        Args:
            query: 1 to 2,000 characters.
            where: conditions on metadata that all must hold, as `--where` reads them.
            how: what reads the question.

        Raises:
            RetrievalError: as for `read_filter` and `Finder.find`, or it took too long.
        """
        wanted = filter_of(where)
        make = self._finder if how == "auto" else self._finder_by_rules

        def find(reader: ContextSource) -> dict[str, Any]:
            finding = self._live.made_of(reader, make).find(query, top_k, where=wanted)
            return finding_record(finding) | {"snapshot": reader.retriever.snapshot.id}

        record = self._read(find)
        self._log.add(record["snapshot"], query)
        return record

    def _finder(self, reader: ContextSource) -> Finder:
        settings = self.home.settings
        return Finder(
            reader.retriever,
            settings.understand,
            environment=self._environment,
            enough=settings.answer.min_relevance,
            strategy=reader.strategy,
        )

    def _finder_by_rules(self, reader: ContextSource) -> Finder:
        enough = self.home.settings.answer.min_relevance
        return Finder(reader.retriever, enough=enough, strategy=reader.strategy)

    async def answer(
        self, query: str, how: How, context_key: str | None = None, where: Sequence[str] = ()
    ) -> AsyncIterator[dict[str, Any]]:
        """Yield the events of an answer as JSON values, without the path of the home.

        Args:
            query: 1 to 2,000 characters.
            how: how the answer is worded.
            context_key: CHANNEL:USER. The same question of the same conversation gets the same events until
                `retrieval.cache_ttl_seconds` have passed or another index is live; None: not part of a conversation.
            where: conditions on metadata that all must hold, as `--where` reads them.
        """
        key = (self._live_id(), how, context_key, query, tuple(where))
        await asyncio.to_thread(self._log.add, key[0] or "", query)
        kept = self._answers.get(key) if context_key is not None else None
        if kept is not None:
            for record in kept:
                yield record
            return
        try:
            wanted = filter_of(where)
        except RetrievalError as error:
            yield event_record(AnswerEvent("error", str(error)))
            return
        told = []
        async for event in self._answerers[how].answer_async(query, wanted):
            record = event_record(event)
            told.append(record | {"data": without_home(record["data"], self.home.root)})
            yield told[-1]
        if context_key is not None and told[-1].get("answer", {}).get("snapshot") == key[0]:
            self._answers.keep(key, tuple(told))

    def _live_id(self) -> str | None:
        try:
            return live_id(self.home.root)
        except RetrievalError:
            return None  # the answer states what is wrong

    def explain(self, query: str, chunk_id: str, strategy: str | None) -> dict[str, Any]:
        """Return why a chunk is included or excluded for a question; the id may be shortened to its beginning.

        Raises:
            RetrievalError: as for `explain`.
        """
        name = strategy or self._live.strategy
        return self._read(lambda reader: _explained(reader, query, chunk_id, name))

    def section(self, chunk_id: str) -> str:
        """Return the text under the headings of a chunk; the id may be shortened to its beginning.

        Raises:
            RetrievalError: as for `explain`.
        """

        def read(reader: ContextSource) -> str:
            snapshot = reader.retriever.snapshot
            return section_text(snapshot, snapshot.chunks[snapshot.chunks.position(snapshot.chunks.find(chunk_id))])

        return self._read(read)

    def books(self) -> tuple[ShelfBook, ...]:
        """Return the books of the live index."""
        return self._read(lambda reader: self._shelf(reader).books())

    def documents(self, book: str) -> tuple[DocumentEntry, ...]:
        """Return the documents of a book; see `Shelf.documents` for the errors raised."""
        return self._read(lambda reader: self._shelf(reader).documents(book))

    def document(self, book: str, document: str) -> tuple[Block, ...]:
        """Return the content of a document; see `Shelf.document` for the errors raised."""
        return self._read(lambda reader: self._shelf(reader).document(book, document))

    def table(self, chunk_id: str) -> WholeTable:
        """Return the table of a row; see `read_table` for the errors raised."""
        return self._read(lambda reader: read_table(reader.retriever.snapshot, chunk_id))

    def examples(self) -> tuple[str, ...]:
        """Return questions whose first hit is the row that they ask for, from the current books; none if finding them
        takes too long."""
        live = self._live_id()
        if live is not None and self._examples[0] != live:
            try:
                self._examples = (live, self._read(_examples))
            except RetrievalTimeoutError:
                self._examples = (live, ())
        return self._examples[1] if live is not None else ()

    def _shelf(self, reader: ContextSource) -> Shelf:
        return self._live.made_of(reader, _shelf_of)

    def _read(self, work: Callable[[ContextSource], Result]) -> Result:
        """Run some work on the live index within the deadline, and return its result."""
        return self._deadline.run(lambda: self._live.ask(work))

    def ingest(self, documents: Sequence[RuleDocument]) -> IngestionResult:
        """Ingest documents; see `RAGPipeline.ingest` for the errors raised."""
        return self._contract.ingest(documents)

    def feedback(self, query: str, chunk_id: str, verdict: Verdict, note: str) -> None:
        """Store a person's rating of a hit; the id may be shortened to its beginning.

        Raises:
            UnknownNameError: the live index has no such chunk.
            AmbiguousNameError: it has several.
        """

        def keep(reader: ContextSource) -> None:
            snapshot = reader.retriever.snapshot
            self._feedback.add(snapshot.id, query, snapshot.chunks.find(chunk_id), verdict, note)

        self._live.ask(keep)

    def status(self) -> dict[str, Any]:
        """Return what is live: snapshot, chunks, tables, books, embedder; also the model that words answers, and the
        strategies."""
        model = self._answerers["auto"].model
        told: dict[str, Any] = {
            "live": None,
            "model": model.model if model else None,
            "strategies": sorted(STRATEGIES),
            "strategy": self._live.strategy,
            "about": dict(ABOUT),
            "unfiltered": sorted(name for name, strategy in STRATEGIES.items() if strategy.query_must == "off"),
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

    def warm_up(self) -> None:
        """Search and answer once, so that no client waits while models are loaded; not with a strategy for which each
        search pays a model.

        An error is not raised: a client that causes it again will get it.
        """
        name = self._live.strategy
        if strategy_named(name).order is not None:
            return
        with suppress(Exception):
            question = self._read(_title_of_a_row)
            self._read(lambda reader: _searched(reader, question, 1, name, (), 0.0, filtered=True, rendered=True))
            self._answerers["read"].answered(question)

    def close(self) -> None:
        """Close the index."""
        self._live.close()
        self._contract.close()


def _searched(
    reader: ContextSource,
    query: str,
    k: int,
    strategy: str,
    where: Sequence[str],
    least: float | None,
    *,
    filtered: bool,
    rendered: bool,
) -> dict[str, Any]:
    retriever = reader.retriever
    named = _allowed(strategy)
    chosen = named if filtered else replace(named, query_must="off")
    wanted = filter_of(where)
    retrieval, reason = search(retriever, query, k, chosen, where=wanted, least=least, debug=True)
    if not retrieval.hits:
        reason = why_empty(wanted, retriever.snapshot.metadata) or reason
    record = retrieval_record(retrieval, retriever.snapshot.chunks.short_id, retriever.snapshot.id, reason)
    if rendered:
        record["hits"] = _rendered(record["hits"], retrieval.hits, retriever.snapshot, query)
    if not filtered:
        reasons = kept_out(retriever, query, retrieval.hits, named)
        record["hits"] = [hit | {"kept_out": reasons.get(hit["id"])} for hit in record["hits"]]
    return record


def _rendered(
    records: Sequence[dict[str, Any]], hits: Sequence[Hit], snapshot: Snapshot, query: str
) -> list[dict[str, Any]]:
    renderer, words = Renderer.of(snapshot, query), QuestionWords.of(query, snapshot)
    return [
        record
        | {
            "rendered": {
                "html": "" if hit.chunk.cells else renderer.block(hit.chunk.source, hit.chunk),
                "columns": list(map(renderer.plain, hit.chunk.columns)),
                "cells": list(map(renderer.plain, hit.chunk.cells)),
                "missing": PassageWords.of(hit.chunk, snapshot).missing(words),
                "table": table_title(hit.chunk) if hit.chunk.cells else "",
                "table_id": hit.chunk.table_id,
                "n_rows": table_size(snapshot, hit.chunk),
            }
        }
        for record, hit in zip(records, hits, strict=True)
    ]


def _title_of_a_row(reader: ContextSource) -> str:
    """Return a question for which a row is read, if there is one."""
    return next((chunk.title for chunk in reader.retriever.snapshot.chunks if chunk.cells), "What is this about?")


def _shelf_of(reader: ContextSource) -> Shelf:
    return Shelf(reader.retriever.snapshot)


def _examples(reader: ContextSource) -> tuple[str, ...]:
    retriever, snapshot = reader.retriever, reader.retriever.snapshot
    unordered = replace(strategy_named(reader.strategy), order=None)  # nobody asked yet, so no model is paid

    def is_answered(question: str, chunk: Chunk) -> bool:
        return chunk.id in retriever.retrieve(question, 1, unordered, decisions=False).chunk_ids

    headings = asking_headings(snapshot)[: 3 * MAX_EXAMPLES]
    answered = (question for question, chunk in headings if is_answered(question, chunk))
    chosen = list(islice(answered, MAX_HEADINGS))
    for starter in starters(snapshot)[: 3 * MAX_EXAMPLES]:
        if len(chosen) == MAX_EXAMPLES:
            break
        ways = starter.questions(len(chosen))
        chosen += islice((question for question in ways if is_answered(question, starter.row)), 1)
    return (*chosen, *islice(answered, MAX_EXAMPLES - len(chosen)))


def _allowed(name: str) -> Strategy:
    """Return the strategy with that name. A client may have hits ordered by a model, but may not choose the model."""
    named = strategy_named(name)
    if named.order is not None and named.name not in VARIANTS:
        raise UnknownNameError("strategy", name, STRATEGIES)
    return named


def _explained(reader: ContextSource, query: str, chunk_id: str, strategy: str) -> dict[str, Any]:
    snapshot = reader.retriever.snapshot
    explanation = explain(reader.retriever, query, snapshot.chunks.find(chunk_id), strategy)
    record = asdict(explanation) | {"lines": list(explanation.lines()), "snapshot": snapshot.id}
    record["chunk"] = {"id": explanation.chunk.id, "title": explanation.chunk.title}
    return record
