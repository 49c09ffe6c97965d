"""The address of a Chroma server, when Chroma is not embedded."""

from __future__ import annotations

from dataclasses import dataclass
from urllib.parse import urlsplit

from retrieval.errors import UnreadableSettingsError


@dataclass(frozen=True, slots=True)
class ChromaServer:
    """Where a server keeps the collections of one snapshot (`chroma run`). It has no password: keep it local."""

    host: str
    port: int
    ssl: bool
    snapshot: str
    """Id of the snapshot; begins the names of its collections."""

    @classmethod
    def of(cls, address: str | None, snapshot: str) -> ChromaServer | None:
        """The server at `http://HOST:PORT`; None when there is no address: Chroma is embedded.

        Raises:
            UnreadableSettingsError: the address is none.
        """
        if not address:
            return None
        try:
            parts = urlsplit(address)
            host, port = parts.hostname, parts.port or 8000
        except ValueError:
            host, port = None, 0
        if not host or parts.scheme not in {"http", "https"}:
            raise UnreadableSettingsError(f"chroma is {address!r}, not an address like http://127.0.0.1:8000; fix it")
        return cls(host, port, parts.scheme == "https", snapshot)
