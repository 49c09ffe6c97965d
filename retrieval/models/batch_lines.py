"""The lines of a batch's files: what is asked, and what was answered, under which name."""

import json
from collections.abc import Iterator, Mapping
from contextlib import suppress
from typing import Any, Final

from retrieval.models.chat import Answered

CHAT: Final = "/v1/chat/completions"
"""What a batch asks."""


def asked_in(requests: Mapping[str, Mapping[str, Any]]) -> bytes:
    """The file of requests, by the name of each the body."""
    lines = ({"custom_id": name, "method": "POST", "url": CHAT, "body": body} for name, body in requests.items())
    return "\n".join(json.dumps(line, ensure_ascii=False) for line in lines).encode()


def names_in(text: str) -> Iterator[str]:
    """The names of the requests that a file has a line of; a line that cannot be read counts as lost."""
    return (str(said["custom_id"]) for said in _lines(text))


def answers_in(text: str) -> Iterator[tuple[str, Answered]]:
    """(name of a request, its answer); a line without an answer of chat counts as lost."""
    for said in _lines(text):
        with suppress(ValueError, KeyError, TypeError):
            yield str(said["custom_id"]), Answered.of(said["response"]["body"])


def _lines(text: str) -> Iterator[dict[str, Any]]:
    for line in text.splitlines():
        try:
            said = json.loads(line)
        except ValueError:
            continue
        if isinstance(said, dict) and "custom_id" in said:
            yield said
