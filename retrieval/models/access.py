"""Where a hosted model is and what opens it: a key that nothing ever shows."""

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from urllib.parse import urlsplit

from retrieval.errors import ModelKeyError, UnreadableSettingsError

KEY, ADDRESS = "OPENAI_API_KEY", "OPENAI_BASE_URL"
CONCURRENCY, TOKENS_PER_MINUTE = "QUERYMUST_MODEL_CONCURRENCY", "QUERYMUST_MODEL_TOKENS_PER_MINUTE"
_HIDDEN = "***"
_OPENAI = "https://api.openai.com/v1"


@dataclass(frozen=True, slots=True)
class Limits:
    """How much is asked at once."""

    concurrency: int = 8
    """Requests under way at one time."""
    tokens_per_minute: int | None = None
    """What is sent and may be answered in any 60 seconds; None: as fast as the server lets us."""


@dataclass(frozen=True, slots=True)
class Access:
    """A key and an address. It is no secret that it is there: its text and its errors never hold the key."""

    key: str = field(default="", repr=False)
    address: str | None = None
    """Of another server than OpenAI's, as `http://127.0.0.1:11434/v1`."""
    limits: Limits = field(default_factory=Limits)

    @classmethod
    def of_environment(cls, environment: Mapping[str, str] = os.environ) -> "Access":
        """`OPENAI_API_KEY`, and `OPENAI_BASE_URL` for another server; how much is asked at once.

        Raises:
            UnreadableSettingsError: a limit is not a whole number above 0.
        """
        usual = Limits()
        most = _whole(environment, CONCURRENCY) or usual.concurrency
        limits = Limits(most, _whole(environment, TOKENS_PER_MINUTE))
        return cls(environment.get(KEY, "").strip(), environment.get(ADDRESS) or None, limits)

    def __bool__(self) -> bool:
        """Whether there is a key. A server that asks for none takes any word."""
        return bool(self.key)

    @property
    def server(self) -> str:
        """Host of the server, with its port where the address names one."""
        parts = urlsplit(self.address or _OPENAI)
        return f"{parts.hostname}:{parts.port}" if parts.port else str(parts.hostname)

    def require(self, who: str, otherwise: str) -> None:
        """See that there is a key that can be sent.

        Args:
            who: needs it.
            otherwise: what to do without one.

        Raises:
            ModelKeyError: there is none, or it has a character that no header can have.
        """
        if not self.key:
            raise ModelKeyError(f"{who} needs {KEY}; set it, or {otherwise}", said=f"no {KEY}")
        if not (self.key.isascii() and self.key.isprintable() and " " not in self.key):
            raise ModelKeyError(f"{KEY} has a character that no key has; copy it again", said=f"unreadable {KEY}")

    def hidden(self, text: str) -> str:
        """A text without the key; some servers repeat it in what they refuse."""
        return text.replace(self.key, _HIDDEN) if self.key else text


def _whole(environment: Mapping[str, str], name: str) -> int | None:
    said = environment.get(name)
    if not said:
        return None
    if not said.isdecimal() or int(said) < 1:
        raise UnreadableSettingsError(f"{name} is {said!r}; write a whole number above 0")
    return int(said)
