"""A chat model that tells an answer piece by piece."""

import os
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import aclosing, closing
from dataclasses import dataclass, field
from typing import Any

from retrieval.errors import GenerationError, ModelError
from retrieval.models.access import Access
from retrieval.models.chat import Asked, Heard, Usage
from retrieval.models.chat_prices import ChatPrice
from retrieval.models.openai_client import CHECK, OpenAiClient


@dataclass(frozen=True, slots=True)
class Piece:
    """What a model said next."""

    text: str
    usage: Usage = Usage()  # noqa: RUF009
    """Of the whole answer, where the server says so; in the last piece alone."""


@dataclass(frozen=True, slots=True)
class ChatModel:
    """A model of OpenAI, or of any server with its interface.

    No request is sent again once a piece of its answer has come.
    """

    model: str
    temperature: float = 0.0
    max_tokens: int = 800
    """Of one answer."""
    timeout: float = 60.0
    """Seconds until the next piece."""
    access: Access = field(default_factory=Access)
    price: ChatPrice | None = None
    """None: not known."""

    @classmethod
    def of_environment(cls, model: str, environment: Mapping[str, str] = os.environ, **options: Any) -> "ChatModel":
        """A model with `OPENAI_API_KEY`, and `OPENAI_BASE_URL` for another server."""
        return cls(model, access=Access.of_environment(environment), **options)

    def tell(self, prompt: str) -> Iterator[Piece]:
        """The answer to a prompt. Closing the iterator closes the connection.

        Raises:
            GenerationError: there is no key; the server cannot be reached, refuses, breaks off or sends garbage; the
                answer is empty, or cut because it is too long.
        """
        state = _Told(self)
        try:
            with closing(self._client().stream(self._asked(prompt))) as stream:
                for heard in stream:
                    if piece := state.heard(heard):
                        yield piece
            yield state.end()
        except ModelError as error:
            raise self._failed(error) from error

    async def tell_async(self, prompt: str) -> AsyncIterator[Piece]:
        """What `tell` gives, without blocking the event loop; it raises the same."""
        state = _Told(self)
        try:
            async with aclosing(self._client().stream_async(self._asked(prompt))) as stream:
                async for heard in stream:
                    if piece := state.heard(heard):
                        yield piece
            yield state.end()
        except ModelError as error:
            raise self._failed(error) from error

    def _client(self) -> OpenAiClient:
        self.access.require(self.model, "have the answer read from the books")
        return OpenAiClient(self.access, timeout=self.timeout)

    def _asked(self, prompt: str) -> Asked:
        return Asked(self.model, (("user", prompt),), self.max_tokens, self.temperature)

    def _failed(self, error: ModelError) -> GenerationError:
        if not self.access:
            return GenerationError(str(error))
        return GenerationError(
            f"{self.model} gave no answer ({error.said}); {CHECK}, or have the answer read from the books"
        )


class _Told:
    """What has been heard of one answer."""

    def __init__(self, model: ChatModel) -> None:
        self._model = model
        self._finish: str | None = None
        self._usage, self._any = Usage(), False

    def heard(self, said: Heard) -> Piece | None:
        if said.usage:
            self._usage = said.usage
        self._finish = said.finish or self._finish
        if said.refusal:
            raise GenerationError(f"{self._model.model} refused: {said.refusal}")
        if not said.text:
            return None
        self._any = True
        return Piece(said.text)

    def end(self) -> Piece:
        """The last piece, which says what was used."""
        name = self._model.model
        if self._finish == "length":
            raise GenerationError(f"the answer of {name} was cut at {self._model.max_tokens} tokens; raise max_tokens")
        if self._finish is None:
            raise GenerationError(f"{name} broke off in the middle of its answer; ask again")
        if not self._any:
            raise GenerationError(f"{name} answered with nothing; ask again, or have the answer read from the books")
        return Piece("", self._usage)
