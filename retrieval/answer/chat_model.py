"""A chat model that tells an answer piece by piece: the one place where `answer` talks to a server."""

import os
from collections.abc import AsyncIterator, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from retrieval.errors import GenerationError

if TYPE_CHECKING:
    from openai.types.chat import ChatCompletionChunk

KEY, ADDRESS = "OPENAI_API_KEY", "OPENAI_BASE_URL"


@dataclass(frozen=True, slots=True)
class Piece:
    """What a model said next."""

    text: str
    tokens: int = 0
    """Used in all, where the server says so; in the last piece alone."""


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
    key: str = ""
    address: str | None = None
    """Of another server than OpenAI's."""

    @classmethod
    def of_environment(cls, model: str, environment: Mapping[str, str] = os.environ, **options: Any) -> "ChatModel":
        """A model with `OPENAI_API_KEY`, and `OPENAI_BASE_URL` for another server."""
        return cls(model, key=environment.get(KEY, ""), address=environment.get(ADDRESS) or None, **options)

    def tell(self, prompt: str) -> Iterator[Piece]:
        """The answer to a prompt. Closing the iterator closes the connection.

        Raises:
            GenerationError: there is no key; the server cannot be reached, refuses, breaks off or sends garbage; the
                answer is empty, or cut because it is too long.
        """
        import openai

        state = _Told(self)
        try:
            with openai.OpenAI(**self._client()) as client:
                stream = client.chat.completions.create(**self._asked(prompt))
                with stream:
                    for chunk in stream:
                        if piece := state.heard(chunk):
                            yield piece
            yield state.end()
        except (openai.OpenAIError, ValueError) as error:
            raise self._failed(error) from error

    async def tell_async(self, prompt: str) -> AsyncIterator[Piece]:
        """What `tell` gives, without blocking the event loop; it raises the same."""
        import openai

        state = _Told(self)
        try:
            async with openai.AsyncOpenAI(**self._client()) as client:
                stream = await client.chat.completions.create(**self._asked(prompt))
                async with stream:
                    async for chunk in stream:
                        if piece := state.heard(chunk):
                            yield piece
            yield state.end()
        except (openai.OpenAIError, ValueError) as error:
            raise self._failed(error) from error

    def _client(self) -> dict[str, Any]:
        if not self.key:
            raise GenerationError(f"{self.model} needs {KEY}; set it, or have the answer read from the books")
        return {"api_key": self.key, "base_url": self.address, "timeout": self.timeout, "max_retries": 2}

    def _asked(self, prompt: str) -> dict[str, Any]:
        return {
            "model": self.model,
            "temperature": self.temperature,
            "max_tokens": self.max_tokens,
            "messages": [{"role": "user", "content": prompt}],
            "stream": True,
            "stream_options": {"include_usage": True},
        }

    def _failed(self, error: Exception) -> GenerationError:
        said = str(error).replace(self.key, "***") if self.key else str(error)
        return GenerationError(
            f"{self.model} gave no answer ({type(error).__name__}: {said:.300}); check the key, the address and the "
            "network, or have the answer read from the books"
        )


class _Told:
    """What has been heard of one answer."""

    def __init__(self, model: ChatModel) -> None:
        self._model = model
        self._finish: str | None = None
        self._tokens, self._any = 0, False

    def heard(self, chunk: "ChatCompletionChunk") -> Piece | None:
        if chunk.usage:
            self._tokens = chunk.usage.total_tokens
        if not chunk.choices:
            return None
        choice = chunk.choices[0]
        self._finish = choice.finish_reason or self._finish
        if choice.delta.refusal:
            raise GenerationError(f"{self._model.model} refused: {choice.delta.refusal}")
        if not choice.delta.content:
            return None
        self._any = True
        return Piece(choice.delta.content)

    def end(self) -> Piece:
        """The last piece, which says what was used."""
        name = self._model.model
        if self._finish == "length":
            raise GenerationError(f"the answer of {name} was cut at {self._model.max_tokens} tokens; raise max_tokens")
        if self._finish is None:
            raise GenerationError(f"{name} broke off in the middle of its answer; ask again")
        if not self._any:
            raise GenerationError(f"{name} answered with nothing; ask again, or have the answer read from the books")
        return Piece("", self._tokens)
