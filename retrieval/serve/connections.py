"""Limits on connections before there is a request: uvicorn's protocol with limits that it lacks."""

import asyncio
import time
from typing import Any

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

HEADER_BYTES = 16 * 1024
"""Size of the request line and all headers together."""
HEADER_SECONDS = 10.0
"""Time from the first byte of a request, or from the start of a connection, to the end of the headers."""
PER_ADDRESS = 256
"""Connections from one address to one process. Above that, the one that has waited longest for a request is closed."""
_TOO_SLOW = b"HTTP/1.1 408 Request Timeout\r\nconnection: close\r\ncontent-length: 0\r\n\r\n"


class BoundedProtocol(H11Protocol):
    """One connection. It is closed if its headers are too long or too slow, or to make room for others."""

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Wait for headers; if this address has too many connections, close the one that has waited longest."""
        super().connection_made(transport)
        self._since = time.monotonic()  # the time of uvloop has whole milliseconds
        self._timer: asyncio.TimerHandle | None = self.loop.call_later(HEADER_SECONDS, self._give_up)
        beside = [
            connection
            for connection in self.connections
            if isinstance(connection, BoundedProtocol) and connection._is_beside(self)
        ]
        if len(beside) > PER_ADDRESS:
            min(
                (connection for connection in beside if connection._waits), key=lambda connection: connection._since
            ).transport.abort()

    def data_received(self, data: bytes) -> None:
        """Process data; the time limit of each request's headers begins with its first byte."""
        super().data_received(data)
        if self.conn.their_state is not h11.IDLE:
            self._stop_timer()
        elif self._timer is None:
            self._timer = self.loop.call_later(HEADER_SECONDS, self._give_up)

    def on_response_complete(self) -> None:
        """Wait for the next request."""
        self._since = time.monotonic()
        super().on_response_complete()

    def connection_lost(self, exc: Exception | None) -> None:
        """Cancel the timer."""
        self._stop_timer()
        super().connection_lost(exc)

    @property
    def _waits(self) -> bool:
        """Whether it waits for a request, or for the rest of one."""
        return self.conn.their_state in {h11.IDLE, h11.SEND_BODY}

    def _is_beside(self, other: "BoundedProtocol") -> bool:
        same = (self.client or ("",))[0] == (other.client or ("",))[0]
        return same and not self.transport.is_closing()

    def _give_up(self) -> None:
        self.transport.write(_TOO_SLOW)
        self.transport.close()

    def _stop_timer(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None


BOUNDS: dict[str, Any] = {
    "http": BoundedProtocol,
    "h11_max_incomplete_event_size": HEADER_BYTES,
    "ws": "none",
}
"""Settings of uvicorn; web sockets are disabled because they would bypass the limits."""
