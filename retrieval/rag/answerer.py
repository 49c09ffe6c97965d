"""The answerer: from a question to its answer, as text, events or JSON (seed 002)."""

import asyncio
import os
from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any, Literal

from retrieval.deadline import Deadline, Result
from retrieval.errors import RetrievalError
from retrieval.home import Home
from retrieval.models.access import KEY, Access
from retrieval.models.chat import Usage
from retrieval.models.spending import ChatPrice, chat_price
from retrieval.rag.answer_text import NO_ANSWER_TEXT, answer_lines, nearest_place, with_origin
from retrieval.rag.chat_model import AnswerPart, ChatModel, cited, doubts, format_prompt
from retrieval.rag.extractive_reader import NOTHING, Reading, read
from retrieval.rag.live import LiveIndex
from retrieval.rag.passages import READABLE, Answer, AnswerEvent, Context, Gatherer, Passage
from retrieval.search.metadata_filter import Filter
from retrieval.settings import AnswerSettings, Settings
from retrieval.types import Embedder

How = Literal["auto", "read", "generate"]


class Answerer:
    """Answers questions from the live index of one home. Any number of threads may share one.

    Args:
        home: the home folder; `answer` in its `rag.yaml` sets the model and the threshold.
        embedder: embeds the questions; None: the one that the index was built with.
        how: `read` from cells and sentences, without a model; `generate` by the model; `auto`: by the model if there is
            a key.
        live: reads the index; None: opens its own.
        environment: the environment variables, which may contain the key.
        deadline: limits how long a search may take; None: no limit.
        strategy: how to search if `live` is None; None: the strategy of the settings.

    Raises:
        UnreadableSettingsError: the settings cannot be read, or a value cannot be used.
        UnknownNameError: the settings contain an unknown key, or there is no such strategy.
    """

    def __init__(
        self,
        home: Path,
        *,
        embedder: Embedder | None = None,
        how: How = "auto",
        live: LiveIndex | None = None,
        environment: Mapping[str, str] = os.environ,
        deadline: Deadline | None = None,
        strategy: str | None = None,
    ) -> None:
        self._live = live or LiveIndex(Home.at(home), embedder, strategy)
        self._deadline = deadline
        self.settings = self._live.home.settings.answer
        wants = how == "generate" or (how == "auto" and bool(environment.get(KEY)))
        self.model = self._model(environment) if wants else None

    def _model(self, environment: Mapping[str, str]) -> ChatModel:
        set_, access = self.settings, Access.of_environment(environment)
        return ChatModel(
            set_.model,
            access=access,
            price=_price_of(self._live.home.settings, set_.model, access),
            temperature=set_.temperature,
            max_tokens=set_.max_tokens,
            timeout=set_.timeout_seconds,
        )

    def answer(self, query: str, where: Filter | None = None) -> Iterator[AnswerEvent]:
        """Yield the events `search`, `context`, `generation`, `token` for each piece, and `complete` with the whole
        answer.

        A `RetrievalError` becomes an `error` event, the last, instead of being raised. Closing the iterator ends
        everything.

        Args:
            query: 1 to 2,000 characters.
            where: restricts the passages by their metadata.
        """
        try:
            yield from self._events(query, where)
        except RetrievalError as error:
            yield AnswerEvent("error", str(error))

    async def answer_async(self, query: str, where: Filter | None = None) -> AsyncIterator[AnswerEvent]:
        """Yield the events of `answer` without blocking the event loop: the search runs in a thread, the model is
        awaited."""
        try:
            yield _SEARCHING
            context = await asyncio.to_thread(self.context, query, where)
            yield _context_event(context)
            if not context.passages:
                yield _complete(_nothing(context, context.nearest))
                return
            yield self._begins(context)
            telling = _Telling(context, self.model, self.settings, self._deadline)
            async for piece in telling.pieces_async():
                yield AnswerEvent("token", piece)
            yield _complete(telling.answer())
        except RetrievalError as error:
            yield AnswerEvent("error", str(error))

    def answered(self, query: str) -> Answer:
        """Return the whole answer at once.

        Raises:
            RetrievalError: the error that `answer` yields as an `error` event.
        """
        *_, answer = (event.answer for event in self._events(query) if event.answer is not None)
        return answer

    def context(self, query: str, where: Filter | None = None) -> Context:
        """Return the passages from which a question is answered.

        Raises:
            InvalidQueryError: the question is empty or too long.
            UnknownNameError: `where` names a key that no chunk has.
            VectorDBUnavailableError: no index is live, or it cannot be read.
            EmbeddingFailureError: the question could not be embedded.
            RetrievalTimeoutError: it took longer than the deadline.
        """

        def gather() -> Context:
            most, least = self.settings.max_chunks, self.settings.min_relevance if self.model else READABLE
            return self._live.ask(lambda reader: self._live.made_of(reader, Gatherer).gather(query, most, least, where))

        return _in_time(self._deadline, gather)

    def close(self) -> None:
        """Close the index; a later question reopens it."""
        self._live.close()

    def _events(self, query: str, where: Filter | None = None) -> Iterator[AnswerEvent]:
        yield _SEARCHING
        context = self.context(query, where)
        yield _context_event(context)
        if not context.passages:
            yield _complete(_nothing(context, context.nearest))
            return
        yield self._begins(context)
        telling = _Telling(context, self.model, self.settings, self._deadline)
        for piece in telling.pieces():
            yield AnswerEvent("token", piece)
        yield _complete(telling.answer())

    def _begins(self, context: Context) -> AnswerEvent:
        if self.model is None:
            return AnswerEvent("generation", "Reading the answer...")
        self.model.require_key()  # before the user is told that something is sent
        server = self.model.access.server
        sent = f"the question and {_counted(context)} to the model {self.model.model} at {server}"
        return AnswerEvent("generation", f"Sending {sent}...")


def _in_time(deadline: Deadline | None, work: Callable[[], Result]) -> Result:
    return deadline.run(work) if deadline else work()


class _Telling:
    """One answer in progress."""

    def __init__(
        self, context: Context, model: ChatModel | None, settings: AnswerSettings, deadline: Deadline | None
    ) -> None:
        self._context, self._model, self._settings, self._deadline = context, model, settings, deadline
        self._reading: Reading = NOTHING
        self._lines: tuple[str, ...] = ()
        self._told: list[str] = []
        self._usage = Usage()

    def pieces(self) -> Iterator[str]:
        if self._model is None:
            yield from map(self._heard, map(AnswerPart, _in_time(self._deadline, self._read)))
            return
        for piece in self._model.tell(self._prompt()):
            if text := self._heard(piece):
                yield text

    async def pieces_async(self) -> AsyncIterator[str]:
        if self._model is None:
            for text in await asyncio.to_thread(_in_time, self._deadline, self._read):
                yield self._heard(AnswerPart(text))
            return
        async for piece in self._model.tell_async(self._prompt()):
            if told := self._heard(piece):
                yield told

    def answer(self) -> Answer:
        """Return the whole answer, made up of the pieces so far."""
        text, context, model = "".join(self._told), self._context, self._model
        if model is None and self._reading is NOTHING:
            return _nothing(context, context.passages[0])
        return Answer(
            query=context.query,
            text=text,
            mode="generated" if model else "read",
            lines=tuple(filter(None, text.split("\n"))) if model else self._lines,
            is_certain=model is not None or self._reading.verdict == "stated",
            probability=None if model else self._reading.probability,
            citations=cited(text, context.passages),
            cells=self._reading.cells,
            doubts=doubts(text, context.query, context.passages) if model else (),
            snapshot=context.snapshot.id,
            read_as=context.read_as,
            model=model.model if model else None,
            server=model.access.server if model else None,
            tokens=self._usage.total,
            usd=model.price.of(self._usage) if model and model.price and self._usage.total else None,
        )

    def _read(self) -> list[str]:
        self._reading = read(self._context, self._settings)
        if self._reading is NOTHING:
            return []
        self._lines = tuple(answer_lines(self._context.query, self._reading))
        return list(with_origin(self._lines, is_stated=self._reading.verdict == "stated"))

    def _prompt(self) -> str:
        return format_prompt(self._context.query, self._context.passages)

    def _heard(self, piece: AnswerPart) -> str:
        self._usage += piece.usage
        self._told.append(piece.text)
        return piece.text


_SEARCHING = AnswerEvent("search", "Searching the books...")


def _context_event(context: Context) -> AnswerEvent:
    sentence = f"Found {_counted(context, 'relevant ')}" if context.passages else context.reason
    return AnswerEvent("context", sentence, passages=context.passages)


def _counted(context: Context, kind: str = "") -> str:
    count = len(context.passages)
    return f"{count} {kind}passage{'s' * (count != 1)}"


def _price_of(settings: Settings, model: str, access: Access) -> ChatPrice | None:
    """Return the price of a model from the settings, else OpenAI's if the server is OpenAI's."""
    own = settings.tables
    if own.model == model and own.usd_per_million_sent is not None and own.usd_per_million_answered is not None:
        return ChatPrice(model, own.usd_per_million_sent, own.usd_per_million_answered)
    return chat_price(model) if access.address is None else None


def _nothing(context: Context, near: Passage | None) -> Answer:
    """Return an answer which states that none was found, with the nearest place, if there is one."""
    lines = (nearest_place(near),) if near else ()
    text = " ".join((NO_ANSWER_TEXT, *lines))
    citations = cited(text, (near,)) if near else ()
    return Answer(
        context.query,
        text,
        "none",
        citations,
        lines,
        is_certain=False,
        snapshot=context.snapshot.id,
        read_as=context.read_as,
    )


def _complete(answer: Answer) -> AnswerEvent:
    return AnswerEvent("complete", answer.text, answer=answer)


def event_record(event: AnswerEvent) -> dict[str, Any]:
    """Return an event as JSON values: `event`, `data`, and for some events `passages` or `answer`."""
    record: dict[str, Any] = {"event": event.event, "data": event.data}
    if event.passages:
        record["passages"] = [_passage_record(passage) for passage in event.passages]
    if event.answer:
        record["answer"] = asdict(event.answer)
    return record


def _passage_record(passage: Passage) -> dict[str, Any]:
    chunk = passage.hit.chunk
    return {
        "number": passage.number,
        "chunk_id": chunk.id,
        "title": chunk.title,
        "book": chunk.book,
        "document": chunk.document,
        "text": chunk.text,
        "relevance": passage.hit.relevance,
        "question": passage.question,
    }
