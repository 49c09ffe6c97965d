"""What a fake server was asked and what it would have charged for, so that tests can say what was paid."""

from __future__ import annotations

import hashlib
import json
import threading
from collections import Counter
from collections.abc import Mapping
from typing import Any

BYTES_PER_TOKEN = 3


def tokens(text: str) -> int:
    return -(-len(text.encode()) // BYTES_PER_TOKEN)


def prompt_tokens(body: Mapping[str, Any]) -> int:
    """Of the messages and of the form that is asked for."""
    output = "".join(str(message.get("content", "")) for message in body.get("messages", ()))
    return tokens(output) + tokens(json.dumps(body["response_format"]) if "response_format" in body else "")


def asked_key(body: Mapping[str, Any]) -> str:
    """Tells apart what is asked, whichever way it is sent."""
    return hashlib.sha256(json.dumps(body.get("messages")).encode()).hexdigest()


class Counts:
    """Shared by the threads of a server."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self.requests: Counter[str] = Counter()
        """By path."""
        self.prompt = self.completion = 0
        """Tokens that were answered, and so paid."""
        self.batch_prompt = self.batch_completion = 0
        self.paid: Counter[str] = Counter()
        """How often each thing that was asked was paid, by `asked_key`."""
        self.working = self.most_working = 0
        """Requests under way at one time."""

    def came(self, path: str) -> None:
        with self._lock:
            self.requests[path] += 1
            self.working += 1
            self.most_working = max(self.most_working, self.working)

    def went(self) -> None:
        with self._lock:
            self.working -= 1

    def pay(self, body: Mapping[str, Any], completion: str, *, batch: bool = False, thought: int = 0) -> dict[str, int]:
        """Charge for one answer; its usage, as a server reports it."""
        query, answered = prompt_tokens(body), tokens(completion) + thought
        with self._lock:
            self.paid[asked_key(body)] += 1
            if batch:
                self.batch_prompt, self.batch_completion = self.batch_prompt + query, self.batch_completion + answered
            else:
                self.prompt, self.completion = self.prompt + query, self.completion + answered
        return {"prompt_tokens": query, "completion_tokens": answered, "total_tokens": query + answered}

    def usd(self, price_in: float, price_out: float) -> float:
        """What was paid, at prices for a million tokens; half of them in a batch."""
        prompt, completion = self.prompt + self.batch_prompt / 2, self.completion + self.batch_completion / 2
        return (prompt * price_in + completion * price_out) / 1e6
