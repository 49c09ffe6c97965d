"""Requests to a chat model and its answers, prompts and dialects."""

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
"""How often a request that failed for a passing reason is sent again, unless its caller says otherwise."""
STREAM_RETRIES = 2
"""The same for an answer that is shown as it comes: somebody waits for its first words."""

_PER_REQUEST = 64
"""Tokens that a server counts beside the texts: roles, separators."""
_BYTES_PER_TOKEN = 3


def likely_tokens(text: str) -> int:
    """About how many tokens a text has; it may be more."""
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
        """Both."""
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
    """Of the answer."""
    temperature: float = 0.0
    form: type[BaseModel] | None = None
    """What the answer must be; all its fields are required, and it forbids others."""

    @property
    def body(self) -> dict[str, Any]:
        """As it is sent."""
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
        """More than the server can count: a token has a byte at least."""
        return len(self._sent.encode()) + _PER_REQUEST

    @property
    def likely_tokens(self) -> int:
        """About what is sent, and the most that may be answered: what servers count against a minute's share."""
        return likely_tokens(self._sent) + self.max_tokens

    @property
    def _sent(self) -> str:
        return json.dumps(self.body, ensure_ascii=False)


@dataclass(frozen=True, slots=True)
class Answered:
    """One answer, whole."""

    content: str
    refusal: str | None
    finish: str | None
    """`stop`, or `length` where it was cut."""
    usage: Usage
    """Zero where the server does not say."""

    @classmethod
    def of(cls, answer: Mapping[str, Any]) -> "Answered":
        """The answer as a server sent it.

        Raises:
            ValueError: it is no answer of chat.
        """
        try:
            choice, used = answer["choices"][0], answer.get("usage") or {}
            message = choice["message"]
            usage = Usage(int(used.get("prompt_tokens", 0)), int(used.get("completion_tokens", 0)))
            refusal, finish = message.get("refusal"), choice.get("finish_reason")
            return cls(str(message.get("content") or ""), refusal or None, finish, usage)
        except (KeyError, IndexError, TypeError, AttributeError) as error:
            raise ValueError(f"no answer of chat: {type(error).__name__}") from None

    def in_form(self, form: type[Form]) -> Form | None:
        """The answer as a form; None if the model refused, if it was cut, or if it is not in the form."""
        read = self.read_as(form)
        return None if isinstance(read, str) else read

    def read_as(self, form: type[Form]) -> Form | str:
        """The answer as a form, or as a clause why there is none."""
        if self.refusal:
            return f"refused: {' '.join(self.refusal.split()):.200}"
        if self.finish == "length":
            return "the answer was cut because it is too long"
        try:
            return form.model_validate_json(self.content)
        except ValidationError as error:
            return f"not in the asked form: {error.errors()[0]['msg']:.200}"


@dataclass(frozen=True, slots=True)
class Heard:
    """The next piece of an answer that is streamed."""

    text: str = ""
    refusal: str | None = None
    finish: str | None = None
    usage: Usage | None = None
    """In one of the last pieces, where the server says it."""

    @classmethod
    def of(cls, chunk: Any) -> "Heard":
        """A piece as OpenAI's library gives it."""
        used = chunk.usage
        usage = Usage(int(used.prompt_tokens or 0), int(used.completion_tokens or 0)) if used else None
        if not chunk.choices:
            return cls(usage=usage)
        choice = chunk.choices[0]
        return cls(choice.delta.content or "", choice.delta.refusal or None, choice.finish_reason, usage)


@dataclass(frozen=True, slots=True)
class BatchResults:
    """What came of a batch that is over. What is in neither was lost on the way."""

    answers: Mapping[str, Answered]
    """By the name of the request."""
    failed: frozenset[str]
    """Requests that the server says it did not answer; they cost nothing."""
    refused: bool = False
    """Whether the batch was refused as a whole, so that none of it costs anything."""


_THINKING = re.compile(r"(?:o\d|gpt-5)(?!.*-chat)")
"""OpenAI's models that think before they answer, by the beginning of their names."""
_REFUSED = frozenset({"max_tokens", "temperature"})


class Dialects:
    """Of one server. Threads may share it."""

    def __init__(self) -> None:
        self._thinking: set[str] = set()

    def body(self, request: ChatRequest) -> dict[str, Any]:
        """A request as its model takes it. What one thinks counts against the tokens of its answer."""
        body = request.body
        if request.model in self._thinking or _THINKING.match(request.model):
            del body["temperature"]
            body["max_completion_tokens"] = body.pop("max_tokens")
        return body

    def learns(self, sent: Mapping[str, Any], error: Exception) -> bool:
        """Whether a refusal says that the model wants other words than were sent; `body` has them from now on."""
        if getattr(error, "param", None) not in _REFUSED & sent.keys():
            return False
        self._thinking.add(str(sent["model"]))
        return True


@cache
def prompt_words(package: str, file: str) -> str:
    """The words of a package's prompt."""
    return files(package).joinpath(file).read_text("utf-8")


@cache
def versioned(package: str, file: str, form: type[BaseModel]) -> str:
    """The number of `prompt_<number>.txt`, and a hash of its words and of the form of the answer: `v1-0f8fad5b`."""
    words = prompt_words(package, file) + json.dumps(form.model_json_schema())
    return f"{file.removeprefix('prompt_').removesuffix('.txt')}-{sha256(words.encode()).hexdigest()[:8]}"
