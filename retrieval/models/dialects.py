"""How a request is worded for a model: some refuse what all others take, and say so."""

import re
from collections.abc import Mapping
from typing import Any

from retrieval.models.chat import Asked

_THINKING = re.compile(r"(?:o\d|gpt-5)(?!.*-chat)")
"""OpenAI's models that think before they answer, by the beginning of their names."""
_REFUSED = frozenset({"max_tokens", "temperature"})


class Dialects:
    """Of one server. Threads may share it."""

    def __init__(self) -> None:
        self._thinking: set[str] = set()

    def body(self, asked: Asked) -> dict[str, Any]:
        """A request as its model takes it. What one thinks counts against the tokens of its answer."""
        body = asked.body
        if asked.model in self._thinking or _THINKING.match(asked.model):
            del body["temperature"]
            body["max_completion_tokens"] = body.pop("max_tokens")
        return body

    def learns(self, sent: Mapping[str, Any], error: Exception) -> bool:
        """Whether a refusal says that the model wants other words than were sent; `body` has them from now on."""
        if getattr(error, "param", None) not in _REFUSED & sent.keys():
            return False
        self._thinking.add(str(sent["model"]))
        return True
