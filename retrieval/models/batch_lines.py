"""The lines of a batch's files: what was answered under which name."""

import json
from collections.abc import Iterator
from contextlib import suppress
from typing import Any

from retrieval.models.chat import Answered


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
