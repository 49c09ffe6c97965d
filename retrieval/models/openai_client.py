"""The only file that imports OpenAI's library: chat, streams, embeddings, batches.

The library itself retries after temporary failures (429, 5xx and time-outs), with growing pauses or after
`retry-after`. If each attempt may cost money, `ChatSession` counts the attempts instead.
"""

import json
import threading
import time
from collections.abc import AsyncGenerator, AsyncIterator, Generator, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager, contextmanager, suppress
from typing import TYPE_CHECKING, Any, Final

from retrieval.deadline import waiting_for_server
from retrieval.errors import ModelError, ModelKeyError
from retrieval.models.access import KEY, Access, ChatSession, Pace
from retrieval.models.chat import (
    RETRIES,
    STREAM_RETRIES,
    Answered,
    BatchResults,
    ChatRequest,
    Dialects,
    Heard,
    Usage,
    likely_tokens,
)
from retrieval.models.spending import Spending

CHAT: Final = "/v1/chat/completions"
"""The endpoint of a batch's requests."""


def asked_in(requests: Mapping[str, Mapping[str, Any]]) -> bytes:
    """Return the batch file of request bodies by name."""
    lines = ({"custom_id": name, "method": "POST", "url": CHAT, "body": body} for name, body in requests.items())
    return "\n".join(json.dumps(line, ensure_ascii=False) for line in lines).encode()


def names_in(text: str) -> Iterator[str]:
    """Yield the names of the requests in a result file; unreadable lines count as lost."""
    return (str(line["custom_id"]) for line in _lines(text))


def answers_in(text: str) -> Iterator[tuple[str, Answered]]:
    """Yield (name of a request, its answer); lines without a chat answer count as lost."""
    for line in _lines(text):
        with suppress(ValueError, KeyError, TypeError):
            yield str(line["custom_id"]), Answered.of(line["response"]["body"])


def _lines(text: str) -> Iterator[dict[str, Any]]:
    for line in text.split("\n"):  # a string of JSON may contain other line ends
        try:
            record = json.loads(line)
        except ValueError:
            continue
        if isinstance(record, dict) and "custom_id" in record:
            yield record


if TYPE_CHECKING:
    from openai import AsyncOpenAI, OpenAI

    GivenClient = OpenAI

CHECK = "check the key, the address and the network"
_PASSING = frozenset({408, 409, 429})
_STREAMED: Final[dict[str, Any]] = {"stream": True, "stream_options": {"include_usage": True}}
_TOKEN = "querymust"  # noqa: S105  (a key of a batch's metadata)


class OpenAiClient:
    """The client of one server. Any number of threads may share it.

    Args:
        access: its key and address.
        retries: how often a request that failed for a temporary reason is sent again.
        timeout: seconds to wait for an answer, or for its next piece.
        given: a client of the library, or any with its interface, to use unchanged.
    """

    def __init__(
        self, access: Access, *, retries: int = RETRIES, timeout: float = 60.0, given: "GivenClient | None" = None
    ) -> None:
        self.access, self._retries, self._timeout, self._client = access, retries, timeout, given
        self._pace = Pace(access.limits.tokens_per_minute)
        self._free = threading.BoundedSemaphore(access.limits.concurrency)
        self._dialects = Dialects()
        self._counting, self._embedded = threading.Lock(), 0

    @property
    def embedded(self) -> Usage:
        """Tokens of all embedded texts, as the server counted them."""
        return Usage(self._embedded)

    @classmethod
    def over(cls, given: "GivenClient") -> "OpenAiClient":
        """Return a client that uses a caller's own client."""
        return cls(Access(key=str(getattr(given, "api_key", "") or "")), given=given)

    def chat(self, request: ChatRequest) -> Answered:
        """Return a complete answer.

        Raises:
            ModelError: the server cannot be reached, refuses, or does not send a chat answer.
        """
        with self._asking(request.model, request.likely_tokens) as client:
            return Answered.of(self._created(client, request).model_dump())

    def embed(self, model: str, texts: Sequence[str]) -> list[list[float]]:
        """Return the vectors of texts, in their order, from one request.

        Raises:
            ModelError: the server cannot be reached or refuses.
        """
        with self._asking(model, sum(map(likely_tokens, texts))) as client:
            answer = client.embeddings.create(model=model, input=list(texts))
            with self._counting:
                self._embedded += answer.usage.prompt_tokens if answer.usage else 0
            return [embedding.embedding for embedding in sorted(answer.data, key=lambda embedding: embedding.index)]

    def check_model(self, model: str) -> None:
        """Check at no cost that the server accepts the key and has a model.

        No error is raised if the server cannot be reached, or does not list its models.

        Raises:
            ModelKeyError: it refuses the key.
            ModelError: it has no such model.
        """
        try:
            with self._asking(model, 0) as client:
                client.with_options(max_retries=0).models.retrieve(model)
        except ModelKeyError:
            raise
        except ModelError as error:
            # A server without this route may repeat the path, which also contains the model's name.
            if "NotFoundError" in error.reason and model in error.reason.replace(f"/models/{model}", ""):
                raise

    def stream(self, request: ChatRequest) -> Generator[Heard, None, None]:
        """Yield an answer piece by piece; closing the iterator closes the connection.

        Raises:
            ModelError: as for `chat`, or the stream is interrupted.
        """
        import openai

        with self._failures(request.model), openai.OpenAI(**self._options(STREAM_RETRIES)) as client:
            stream = self._created(client, request, **_STREAMED)
            with stream:
                for chunk in stream:
                    yield Heard.of(chunk)

    async def stream_async(self, request: ChatRequest) -> AsyncGenerator[Heard, None]:
        """Like `stream`, without blocking the event loop."""
        import openai

        with self._failures(request.model):
            async with openai.AsyncOpenAI(**self._options(STREAM_RETRIES)) as client:
                stream = await self._created_async(client, request, **_STREAMED)
                async with stream:
                    async for chunk in stream:
                        yield Heard.of(chunk)

    @asynccontextmanager
    async def session(self, spending: Spending) -> AsyncIterator[ChatSession]:
        """Yield a session for concurrent requests in one event loop; the cost of each attempt is reserved before."""
        import openai

        async with openai.AsyncOpenAI(**self._options(0)) as client:

            async def send(request: ChatRequest) -> Answered:
                return Answered.of((await self._created_async(client, request)).model_dump())

            raised = (openai.OpenAIError, ValueError)
            concurrency = self.access.limits.concurrency
            yield ChatSession(send, raised, self.failure, spending, self._pace, self._retries, concurrency)

    def begin_batch(self, requests: Mapping[str, ChatRequest], token: str) -> str:
        """Send requests by name as one batch, and return its id. `token` is for `find_batch`.

        Raises:
            ModelError: the server cannot be reached or refuses.
        """
        file = asked_in({name: self._dialects.body(request) for name, request in requests.items()})
        with self._asking("a batch", 0) as client:
            sent = client.files.create(file=("requests.jsonl", file), purpose="batch")
            begun = client.batches.create(
                input_file_id=sent.id, endpoint=CHAT, completion_window="24h", metadata={_TOKEN: token}
            )
            return begun.id

    def find_batch(self, token: str) -> str | None:
        """Return the id of the batch with this token, or None.

        Raises:
            ModelError: the server cannot be reached or refuses.
        """
        with self._asking("a batch", 0) as client:
            return next(
                (batch.id for batch in client.batches.list() if (batch.metadata or {}).get(_TOKEN) == token), None
            )

    def batch_results(self, batch: str) -> BatchResults | None:
        """Return the results of a batch; None while it is being processed.

        Raises:
            ModelError: the server cannot be reached, or does not know the batch.
        """
        with self._asking("a batch", 0) as client:
            state = client.batches.retrieve(batch)
            if state.status in ("validating", "in_progress", "finalizing", "cancelling"):
                return None
            names = (state.output_file_id, state.error_file_id)
            answered, failed = (client.files.content(name).text if name else "" for name in names)
        return BatchResults(dict(answers_in(answered)), frozenset(names_in(failed)), state.status == "failed")

    def _created(self, client: "OpenAI", request: ChatRequest, **more: Any) -> Any:
        import openai

        body = self._dialects.body(request)
        try:
            return client.chat.completions.create(**body, **more)
        except openai.BadRequestError as error:
            if not self._dialects.learns(body, error):
                raise
        return client.chat.completions.create(**self._dialects.body(request), **more)

    async def _created_async(self, client: "AsyncOpenAI", request: ChatRequest, **more: Any) -> Any:
        import openai

        body = self._dialects.body(request)
        try:
            return await client.chat.completions.create(**body, **more)
        except openai.BadRequestError as error:
            if not self._dialects.learns(body, error):
                raise
        return await client.chat.completions.create(**self._dialects.body(request), **more)

    @contextmanager
    def _asking(self, who: str, tokens: int) -> "Iterator[OpenAI]":
        import openai

        with self._failures(who), waiting_for_server(), self._free:
            time.sleep(self._pace.wait_for(tokens))
            if self._client is None:
                self._client = openai.OpenAI(**self._options(self._retries))
            yield self._client

    def _options(self, retries: int) -> dict[str, Any]:
        access = self.access
        return {
            "api_key": access.key,
            "base_url": access.address,
            "timeout": self._timeout,
            "max_retries": retries,
        }

    @contextmanager
    def _failures(self, who: str) -> Iterator[None]:
        """Raise errors as a `ModelError` that neither contains the key nor is chained to an error that does."""
        import openai

        failed: ModelError | None = None
        try:
            yield
        except (openai.OpenAIError, ValueError) as error:
            failed = self.failure(who, error)
        if failed is not None:
            try:
                raise failed
            finally:
                failed.__context__ = None  # the original error contains the key

    def failure(self, who: str, error: Exception) -> ModelError:
        """Return the `ModelError` for an error of the library."""
        reason = f"{type(error).__name__}: {self.access.hidden(str(error)):.300}"
        status = getattr(error, "status_code", None)
        if status in (401, 403):
            return ModelKeyError(
                f"{who}: the key in {KEY} was rejected ({reason}); set one that the server accepts", reason=reason
            )
        if getattr(error, "code", None) == "insufficient_quota":
            return ModelKeyError(f"{who}: the account behind {KEY} has no credit left ({reason})", reason=reason)
        passing = status is None or status in _PASSING or status >= 500
        return ModelError(
            f"{who} could not be called ({reason}); {CHECK}", reason=reason, passing=passing, status=status
        )
