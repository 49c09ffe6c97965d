"""Requests to a chat model, their answers, prompts, and the parameters that models accept."""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from hashlib import sha256
from importlib.resources import files
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError

Form = TypeVar("Form", bound=BaseModel)

RETRIES = 4
"""How often a request that failed for a temporary reason is sent again by default."""
STREAM_RETRIES = 2
"""The same for a streamed answer, whose first words a user is waiting for."""

_PER_REQUEST = 64
"""Tokens that a server counts in addition to the texts: roles, separators."""
_BYTES_PER_TOKEN = 3


def likely_tokens(text: str) -> int:
    """Return an estimate of a text's tokens, which may have more."""
    return -(-len(text.encode()) // _BYTES_PER_TOKEN)


@cache
def _schema(form: type[BaseModel]) -> dict[str, Any]:
    return form.model_json_schema()


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens of one answer or of several, as the server counted them."""

    prompt: int = 0
    completion: int = 0

    @property
    def total(self) -> int:
        """Tokens of prompt and completion."""
        return self.prompt + self.completion

    def __add__(self, other: "Usage") -> "Usage":
        return Usage(self.prompt + other.prompt, self.completion + other.completion)


@dataclass(frozen=True, slots=True)
class ChatRequest:
    """One request."""

    model: str
    messages: tuple[tuple[str, str], ...]
    """(role, text), in turn."""
    max_tokens: int
    """Most tokens of the answer."""
    temperature: float = 0.0
    form: type[BaseModel] | None = None
    """The required form of the answer; all its fields are required, and it forbids others."""

    @property
    def body(self) -> dict[str, Any]:
        """The request as it is sent."""
        body: dict[str, Any] = {
            "model": self.model,
            "temperature": self.temperature,
            "max_tokens": self.max_tokens,
            "messages": [{"role": role, "content": text} for role, text in self.messages],
        }
        if self.form is not None:
            schema = {"name": "answer", "strict": True, "schema": _schema(self.form)}
            body["response_format"] = {"type": "json_schema", "json_schema": schema}
        return body

    @property
    def most_prompt_tokens(self) -> int:
        """Upper bound of the prompt's tokens: a token has at least one byte."""
        return len(self._sent.encode()) + _PER_REQUEST

    @property
    def likely_tokens(self) -> int:
        """Estimated tokens that are sent and the most that may be answered, which servers count for rate limits."""
        return likely_tokens(self._sent) + self.max_tokens

    @property
    def _sent(self) -> str:
        return json.dumps(self.body, ensure_ascii=False)


@dataclass(frozen=True, slots=True)
class Answered:
    """One complete answer."""

    content: str
    refusal: str | None
    finish: str | None
    """`stop`, or `length` if it was truncated."""
    usage: Usage
    """Zero if the server does not report it."""

    @classmethod
    def of(cls, answer: Mapping[str, Any]) -> "Answered":
        """Return the answer that a server sent.

        Raises:
            ValueError: it is not a chat answer.
        """
        try:
            choice, used = answer["choices"][0], answer.get("usage") or {}
            message = choice["message"]
            usage = Usage(int(used.get("prompt_tokens") or 0), int(used.get("completion_tokens") or 0))
            refusal, finish = message.get("refusal"), choice.get("finish_reason")
            return cls(str(message.get("content") or ""), refusal or None, finish, usage)
        except (KeyError, IndexError, TypeError, AttributeError) as error:
            raise ValueError(f"not a chat answer: {type(error).__name__}") from None

    def in_form(self, form: type[Form]) -> Form | None:
        """Return the answer as a form; None if the model refused, or if it is truncated or not in the form."""
        read = self.read_as(form)
        return None if isinstance(read, str) else read

    def read_as(self, form: type[Form]) -> Form | str:
        """Return the answer as a form, or a clause about why it is not in the form."""
        if self.refusal:
            return f"refused: {' '.join(self.refusal.split()):.200}"
        if self.finish == "length":
            return "the answer was cut off because it is too long"
        try:
            return form.model_validate_json(self.content)
        except ValidationError as error:
            return f"not in the requested form: {error.errors()[0]['msg']:.200}"


@dataclass(frozen=True, slots=True)
class Heard:
    """The next piece of a streamed answer."""

    text: str = ""
    refusal: str | None = None
    finish: str | None = None
    usage: Usage | None = None
    """Set in one of the last pieces, if the server reports it."""

    @classmethod
    def of(cls, chunk: Any) -> "Heard":
        """Return a piece from a chunk of OpenAI's library."""
        used = chunk.usage
        usage = Usage(int(used.prompt_tokens or 0), int(used.completion_tokens or 0)) if used else None
        if not chunk.choices:
            return cls(usage=usage)
        choice = chunk.choices[0]
        return cls(choice.delta.content or "", choice.delta.refusal or None, choice.finish_reason, usage)


@dataclass(frozen=True, slots=True)
class BatchResults:
    """The results of a finished batch. Requests in neither `answers` nor `failed` were lost."""

    answers: Mapping[str, Answered]
    """Answers by the name of the request."""
    failed: frozenset[str]
    """Requests that the server reports as unanswered, which cost nothing."""
    refused: bool = False
    """Whether the whole batch was refused, so that it costs nothing."""


_THINKING = re.compile(r"(?:o\d|gpt-5)(?!.*-chat)")
"""OpenAI's reasoning models, by the beginning of their names."""
_REFUSED = frozenset({"max_tokens", "temperature"})


class Dialects:
    """The request parameters that the models of one server accept. Threads may share it."""

    def __init__(self) -> None:
        self._thinking: set[str] = set()

    def body(self, request: ChatRequest) -> dict[str, Any]:
        """Return a request in the form that its model accepts. Reasoning counts as tokens of the answer."""
        body = request.body
        if request.model in self._thinking or _THINKING.match(request.model):
            del body["temperature"]
            body["max_completion_tokens"] = body.pop("max_tokens")
        return body

    def learns(self, sent: Mapping[str, Any], error: Exception) -> bool:
        """Whether an error shows that the model needs other parameters, which `body` uses from now on."""
        if getattr(error, "param", None) not in _REFUSED & sent.keys():
            return False
        self._thinking.add(str(sent["model"]))
        return True


@cache
def prompt_words(package: str, file: str) -> str:
    """Return the text of a package's prompt."""
    return files(package).joinpath(file).read_text("utf-8")


@cache
def versioned(package: str, file: str, form: type[BaseModel]) -> str:
    """Return the number of `prompt_<number>.txt`, and a hash of its text and of the answer's form: `v1-0f8fad5b`."""
    words = prompt_words(package, file) + json.dumps(form.model_json_schema())
    return f"{file.removeprefix('prompt_').removesuffix('.txt')}-{sha256(words.encode()).hexdigest()[:8]}"
